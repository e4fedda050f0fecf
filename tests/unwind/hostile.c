/*
 * Functions that return at once.  Their unwind information is of a kind that no compiler writes.
 * That of hostile_good is written in the same ways, but is of a kind that compilers do write.
 */
#define FUNCTION(name, ...)                                                                     \
	__asm__(".text\n.globl hostile_" #name "\n"                                             \
		".type hostile_" #name ", %function\n"                                          \
		"hostile_" #name ":\n.cfi_startproc\n" __VA_ARGS__ "\nnop\nret\n.cfi_endproc\n" \
		".size hostile_" #name ", .-hostile_" #name)

/* DW_CFA_def_cfa_expression and _expression of the frame pointer, blocks of so many bytes. */
#define CFA(bytes, ...)	  ".cfi_escape 0x0f," #bytes "," #__VA_ARGS__
#define FRAME(bytes, ...) ".cfi_escape 0x10,6," #bytes "," #__VA_ARGS__

FUNCTION(good, CFA(4, 0x77, 8, 0x23, 0) "\n" FRAME(2, 0x77, 16));
FUNCTION(skip, CFA(3, 0x2f, 0xfd, 0xff));
FUNCTION(skip_forward, CFA(5, 0x2f, 1, 0, 0x96, 0x30));
FUNCTION(bra, CFA(4, 0x31, 0x28, 0xfc, 0xff));
FUNCTION(skip_for_a_register, FRAME(3, 0x2f, 0xfd, 0xff));
/* INT64_MIN / -1 */
FUNCTION(div, CFA(12, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b));
FUNCTION(unknown_operation, CFA(2, 0xe0, 0x30));
FUNCTION(operand_past_the_end, CFA(3, 0x0e, 0, 0));
FUNCTION(endless_number,
	 CFA(12, 0x23, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0));
FUNCTION(long_expression, ".cfi_escape 0x0f,0xac,0x02\n.rept 300\n.cfi_escape 0x30\n.endr");
/* DW_CFA_register, DW_CFA_def_cfa, DW_CFA_offset */
FUNCTION(far_register, ".cfi_escape 0x09,1,0xff,0xff,0xff,0x7f");
FUNCTION(cfa_from_far, ".cfi_escape 0x0c,0x80,1,0");
FUNCTION(far_offset, ".cfi_escape 0xbf,1");
FUNCTION(nested, ".rept 3000\n.cfi_escape 0x0a\n.endr");
FUNCTION(misread_instruction, ".cfi_escape 0x14,1,2");
FUNCTION(huge, ".rept 40000\n.cfi_escape 0x2e,0\n.endr");

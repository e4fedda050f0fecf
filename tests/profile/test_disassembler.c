/* Instructions have the text and the length that the processor's manual says. */
#include <elf.h>

#include "runtime/output/annotate/disassembler.h"
#include "tests/support/unit.h"

static struct disassembler *open_for(uint16_t machine, bool intel, const char *test)
{
	struct disassembler *made = NULL;
	int err = disassembler_open(machine, intel, &made);

	if (err == -ELIBACC) {
		printf("skip %s: no capstone here\n", test);
		fflush(stdout);
		skip();
	}
	assert_int_equal(err, 0);
	return made;
}

static void expect(struct disassembler *disassembler, const void *code, size_t count,
		   uint32_t bytes, const char *mnemonic, const char *operands)
{
	struct instruction found;

	disassembler_next(disassembler, code, count, 0x1000, &found);
	assert_int_equal(found.bytes, bytes);
	assert_string_equal(found.mnemonic, mnemonic);
	assert_string_equal(found.operands, operands);
}

TEST(x86_has_two_syntaxes)
{
	static const uint8_t move[] = { 0x48, 0x89, 0xc3 };
	struct disassembler *disassembler = open_for(EM_X86_64, false, __func__);

	expect(disassembler, move, sizeof(move), 3, "movq", "%rax, %rbx");
	disassembler_close(disassembler);
	disassembler = open_for(EM_X86_64, true, __func__);
	expect(disassembler, move, sizeof(move), 3, "mov", "rbx, rax");
	disassembler_close(disassembler);
}

TEST(aarch64_is_decoded_too)
{
	static const uint8_t divide[] = { 0x20, 0x08, 0xc2, 0x9a };
	struct disassembler *disassembler = open_for(EM_AARCH64, false, __func__);

	expect(disassembler, divide, sizeof(divide), 4, "udiv", "x0, x1, x2");
	disassembler_close(disassembler);
}

TEST(bytes_that_are_no_instruction_are_data)
{
	static const uint8_t wrong[] = { 0x06, 0x90 }, cut[] = { 0x48, 0x89 };
	static const uint8_t arm[] = { 0xff, 0xff, 0xff, 0xff, 0x12 };
	struct disassembler *disassembler = open_for(EM_X86_64, false, __func__);

	expect(disassembler, wrong, sizeof(wrong), 1, ".byte", "0x06");
	expect(disassembler, cut, sizeof(cut), 1, ".byte", "0x48");
	disassembler_close(disassembler);
	disassembler = open_for(EM_AARCH64, false, __func__);
	expect(disassembler, arm, sizeof(arm), 4, ".inst", "0xffffffff");
	expect(disassembler, arm + 4, 1, 1, ".byte", "0x12");
	disassembler_close(disassembler);
}

TEST(jumps_and_calls_have_targets)
{
	static const uint8_t call[] = { 0xe8, 0x0b, 0x00, 0x00, 0x00 }, far[] = { 0xff, 0xe0 };
	static const uint8_t arm[] = { 0x04, 0x00, 0x00, 0x94 };
	struct disassembler *disassembler = open_for(EM_X86_64, false, __func__);
	struct instruction found;
	uint64_t target;

	disassembler_next(disassembler, call, sizeof(call), 0x1000, &found);
	assert_true(disassembler_target(disassembler, &found, &target));
	assert_int_equal(target, 0x1010);
	disassembler_next(disassembler, far, sizeof(far), 0x1000, &found);
	assert_false(disassembler_target(disassembler, &found, &target));
	disassembler_close(disassembler);
	disassembler = open_for(EM_AARCH64, false, __func__);
	disassembler_next(disassembler, arm, sizeof(arm), 0x1000, &found);
	assert_true(disassembler_target(disassembler, &found, &target));
	assert_int_equal(target, 0x1010);
	disassembler_close(disassembler);
}

TEST(other_machines_are_refused)
{
	struct disassembler *made;

	assert_int_equal(disassembler_open(EM_386, false, &made), -ENOTSUP);
}

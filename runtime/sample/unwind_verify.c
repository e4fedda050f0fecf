/*
 * Reading is in one direction and never past the end of a description, so it ends.  What cannot
 * be read is refused too, but not remembered: module->faulted says so.
 */
#include "runtime/sample/unwind_verify.h"

#include <stddef.h>

#include "runtime/sample/rule_table.h"

#define VERIFIED_LOG	6
#define REMEMBERED_MAX	64
#define EXPRESSION_MAX	256
#define LEB_BYTES_MAX	10
#define ENCODING_FORMAT 0x0f
#define WINDOW		64

/* Descriptions that were found harmless, by address and generation.  W, R: the gate's holder. */
static uint64_t verified[1 << VERIFIED_LOG];

struct reading {
	struct unwind_module *module;
	uint64_t at;
	uint64_t end;
	uint8_t window[WINDOW]; /* what was read ahead, and where it lies */
	uint64_t window_at;
	uint64_t window_end;
	unsigned registers;
	unsigned pointer;    /* format of code addresses */
	unsigned remembered; /* states that were not restored yet */
	bool sized;	     /* there is augmentation data */
	bool has_cfa;
	bool refused;
};

static void refuse(struct reading *in)
{
	in->refused = true;
	in->at = in->end;
}

static void skip(struct reading *in, uint64_t bytes)
{
	if (bytes > in->end - in->at)
		refuse(in);
	else
		in->at += bytes;
}

static bool fill(struct reading *in)
{
	uint64_t bytes = in->end - in->at < WINDOW ? in->end - in->at : WINDOW;

	if (!unwind_module_copy(in->module, in->window, in->at, (unsigned)bytes))
		return false;
	in->window_at = in->at;
	in->window_end = in->at + bytes;
	return true;
}

/* A little-endian number of up to 8 bytes. */
static uint64_t number(struct reading *in, unsigned bytes)
{
	uint64_t value = 0;

	if (bytes > in->end - in->at ||
	    ((in->at < in->window_at || in->at + bytes > in->window_end) && !fill(in))) {
		refuse(in);
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)in->window[in->at - in->window_at + i] << (8 * i);
	in->at += bytes;
	return value;
}

static uint64_t leb(struct reading *in)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned i = 0; i < LEB_BYTES_MAX; i++) {
		byte = (uint8_t)number(in, 1);
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			return value;
	}
	refuse(in);
	return 0;
}

static void skip_pointer(struct reading *in, unsigned encoding)
{
	static const uint8_t bytes[ENCODING_FORMAT + 1] = {
		[0x00] = 8, [0x02] = 2, [0x03] = 4, [0x04] = 8, [0x0a] = 2, [0x0b] = 4, [0x0c] = 8,
	};
	unsigned size = bytes[encoding & ENCODING_FORMAT];

	if (!size || (encoding & 0x70) > 0x30)
		refuse(in);
	else
		skip(in, size);
}

/*
 * Operands: a digit is that many bytes, u a LEB128, r a register's number, p a code address,
 * b a block that holds an expression.  NULL: refused.
 */
static const char *operation_operands(unsigned operation)
{
	static const char *const constants[] = { "1", "1", "2", "2", "4", "4", "8", "8" };

	if (operation >= 0x08 && operation <= 0x0f)
		return constants[operation - 0x08];
	if (operation >= 0x30 && operation <= 0x4f) /* lit0 … */
		return "";
	if (operation >= 0x70 && operation <= 0x8f) /* breg0 … */
		return "u";
	if (operation >= 0x29 && operation <= 0x2e) /* eq … ne */
		return "";
	switch (operation) {
	case 0x06: /* deref */
	case 0x12: /* dup, drop, over */
	case 0x13:
	case 0x14:
	case 0x16: /* swap, rot */
	case 0x17:
	case 0x19: /* abs, and */
	case 0x1a:
	case 0x1c: /* minus */
	case 0x1e: /* mul, neg, not, or, plus */
	case 0x1f:
	case 0x20:
	case 0x21:
	case 0x22:
	case 0x24: /* shl, shr, shra, xor */
	case 0x25:
	case 0x26:
	case 0x27:
	case 0x96: /* nop */
		return "";
	case 0x03: /* addr */
		return "8";
	case 0x15: /* pick */
	case 0x94: /* deref_size */
		return "1";
	case 0x23: /* plus_uconst */
		return "u";
	default: /* div overflows, skip and bra jump, the others nobody needs */
		return NULL;
	}
}

static void operands(struct reading *in, const char *kinds);

static void expression(struct reading *in)
{
	uint64_t bytes = leb(in);
	uint64_t end = in->end;

	if (bytes > EXPRESSION_MAX || bytes > in->end - in->at) {
		refuse(in);
		return;
	}
	in->end = in->at + bytes;
	while (in->at < in->end)
		operands(in, operation_operands((unsigned)number(in, 1)));
	in->end = end;
	if (in->refused)
		in->at = end;
}

static void operands(struct reading *in, const char *kinds)
{
	if (!kinds) {
		refuse(in);
		return;
	}
	for (; *kinds; kinds++)
		switch (*kinds) {
		case 'u':
			leb(in);
			break;
		case 'r':
			if (leb(in) >= in->registers)
				refuse(in);
			break;
		case 'p':
			skip_pointer(in, in->pointer);
			break;
		case 'b':
			expression(in);
			break;
		default:
			skip(in, (unsigned)(*kinds - '0'));
		}
}

/* DW_CFA_*, those without an operand in their own byte. */
static const char *const instruction_operands[] = {
	[0x00] = "",				     /* nop */
	[0x01] = "p",				     /* set_loc */
	[0x02] = "1",				     /* advance_loc1, 2, 4 */
	[0x03] = "2",  [0x04] = "4",  [0x05] = "ru", /* offset_extended */
	[0x06] = "r",				     /* restore_extended, undefined, same_value */
	[0x07] = "r",  [0x08] = "r",  [0x09] = "rr", /* register */
	[0x0a] = "",				     /* remember_state, restore_state */
	[0x0b] = "",   [0x0c] = "ru",		     /* def_cfa, def_cfa_register, def_cfa_offset,
							def_cfa_expression */
	[0x0d] = "r",  [0x0e] = "u",  [0x0f] = "b",
	[0x10] = "rb", /* expression, offset_extended_sf, def_cfa_sf, def_cfa_offset_sf */
	[0x11] = "ru", [0x12] = "ru", [0x13] = "u",
	[0x16] = "rb", /* val_expression; libunwind 1.6 misreads val_offset */
	[0x2d] = "",   /* aarch64: negate_ra_state */
	[0x2e] = "u",  /* GNU_args_size, GNU_negative_offset_extended */
	[0x2f] = "ru",
};

/* Where the CFA is comes before anything that needs it. */
static void follow_state(struct reading *in, unsigned instruction, bool advances)
{
	if (instruction == 0x0c || instruction == 0x0f || instruction == 0x12)
		in->has_cfa = true;
	if (instruction == 0x0a)
		in->remembered++;
	if (((advances || instruction == 0x0a) && !in->has_cfa) || in->remembered > REMEMBERED_MAX)
		refuse(in);
	if (instruction == 0x0b && in->remembered)
		in->remembered--;
}

static void program(struct reading *in)
{
	const unsigned count = sizeof(instruction_operands) / sizeof(instruction_operands[0]);

	in->remembered = 0;
	while (in->at < in->end) {
		unsigned byte = (unsigned)number(in, 1);
		unsigned high = byte >> 6;

		follow_state(in, high ? UINT32_MAX : byte,
			     high == 1 || (byte >= 0x01 && byte <= 0x04));
		if (high == 2)
			leb(in); /* offset */
		if (high >= 2 && (byte & 0x3f) >= in->registers)
			refuse(in);
		if (!high)
			operands(in, byte < count ? instruction_operands[byte] : NULL);
	}
}

/* The characters after 'z' say what the augmentation data holds. */
static void augmentation(struct reading *in, uint64_t text)
{
	struct reading names = *in;
	uint64_t bytes = leb(in);
	uint64_t end = in->at + bytes;
	unsigned name;

	names.at = text;
	if (bytes > in->end - in->at)
		refuse(in);
	while (!in->refused && (name = (unsigned)number(&names, 1))) {
		if (name == 'R')
			in->pointer = (unsigned)number(in, 1);
		else if (name == 'L')
			number(in, 1);
		else if (name == 'P')
			skip_pointer(in, (unsigned)number(in, 1));
		else if (name != 'S' && name != 'B')
			refuse(in);
	}
	if (in->at != end || names.refused)
		refuse(in);
}

/* Length, and with it the end; nobody writes the 64-bit form. */
static bool begin(struct reading *in, uint64_t at)
{
	uint64_t length;

	in->at = at;
	in->end = at + sizeof(uint32_t);
	length = number(in, sizeof(uint32_t));
	if (in->refused || length < sizeof(uint32_t) || length > UNWIND_VERIFY_MAX)
		return false;
	in->end = in->at + length;
	return true;
}

/* What functions have in common. */
static bool common(struct reading *in, uint64_t at)
{
	uint64_t version, text;
	char first;

	if (!begin(in, at) || number(in, sizeof(uint32_t))) /* its number is 0 */
		return false;
	version = number(in, 1);
	text = in->at + 1;
	first = (char)number(in, 1);
	if (first)
		while (!in->refused && number(in, 1))
			;
	leb(in); /* alignments of code and data */
	leb(in);
	if ((version != 1 && version != 3) ||
	    (version == 1 ? number(in, 1) : leb(in)) >= in->registers)
		return false;
	in->sized = first == 'z';
	if (in->sized)
		augmentation(in, text);
	else if (first)
		return false;
	program(in);
	return !in->refused;
}

static bool function(struct reading *in, uint64_t at)
{
	uint64_t here, distance;

	if (!begin(in, at))
		return false;
	here = in->at;
	distance = number(in, sizeof(uint32_t));
	if (!distance)
		return false; /* what functions have in common, and no function */
	if (!common(in, here - (uint64_t)(int64_t)(int32_t)distance) || !begin(in, at))
		return false;
	skip(in, sizeof(uint32_t));
	skip_pointer(in, in->pointer);
	skip_pointer(in, in->pointer & ENCODING_FORMAT); /* how many bytes of code */
	if (in->sized)
		skip(in, leb(in));
	program(in);
	return !in->refused && in->has_cfa;
}

bool unwind_verify_entry(struct unwind_module *module, const struct unwind_entry *entry,
			 unsigned registers)
{
	struct reading in = { .module = module, .registers = registers };
	uint64_t key, slot, at;
	int32_t offset;

	if (!unwind_module_copy(module, &offset, entry->at + sizeof(offset), sizeof(offset)))
		return false;
	at = module->header + (uint64_t)(int64_t)offset;
	key = rule_table_key(at, rule_table_generation()) | 1;
	slot = at * 0x9e3779b97f4a7c15ULL >> (64 - VERIFIED_LOG);
	if (verified[slot] == key)
		return true;
	if (!function(&in, at))
		return false;
	verified[slot] = key;
	return true;
}

/*
 * Numbers, addresses and the operands of instructions and operations.
 */
#include "runtime/sample/rules/cfi_reader.h"

#include <stddef.h>

#define EXPRESSION_MAX	256
#define LEB_BYTES_MAX	10
#define ENCODING_FORMAT 0x0f

void cfi_reader_refuse(struct cfi_reader *in)
{
	in->refused = true;
	in->at = in->end;
}

void cfi_reader_skip(struct cfi_reader *in, uint64_t bytes)
{
	if (bytes > in->end - in->at)
		cfi_reader_refuse(in);
	else
		in->at += bytes;
}

static bool fill(struct cfi_reader *in)
{
	uint64_t bytes =
		in->end - in->at < CFI_READER_WINDOW ? in->end - in->at : CFI_READER_WINDOW;

	if (!unwind_module_copy(in->module, in->window, in->at, (unsigned)bytes))
		return false;
	in->window_at = in->at;
	in->window_end = in->at + bytes;
	return true;
}

uint64_t cfi_reader_number(struct cfi_reader *in, unsigned bytes)
{
	uint64_t value = 0;

	if (bytes > in->end - in->at ||
	    ((in->at < in->window_at || in->at + bytes > in->window_end) && !fill(in))) {
		cfi_reader_refuse(in);
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)in->window[in->at - in->window_at + i] << (8 * i);
	in->at += bytes;
	return value;
}

uint64_t cfi_reader_leb(struct cfi_reader *in)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned i = 0; i < LEB_BYTES_MAX; i++) {
		byte = (uint8_t)cfi_reader_number(in, 1);
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			return value;
	}
	cfi_reader_refuse(in);
	return 0;
}

void cfi_reader_pointer(struct cfi_reader *in, unsigned encoding)
{
	static const uint8_t bytes[ENCODING_FORMAT + 1] = {
		[0x00] = 8, [0x02] = 2, [0x03] = 4, [0x04] = 8, [0x0a] = 2, [0x0b] = 4, [0x0c] = 8,
	};
	unsigned size = bytes[encoding & ENCODING_FORMAT];

	if (!size || (encoding & 0x70) > 0x30)
		cfi_reader_refuse(in);
	else
		cfi_reader_skip(in, size);
}

/* As cfi_reader_operands() takes them (DWARF 4, 2.5). */
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
	default: /* div overflows, skip and bra jump, the others are not needed */
		return NULL;
	}
}

static void expression(struct cfi_reader *in)
{
	uint64_t bytes = cfi_reader_leb(in);
	uint64_t end = in->end;

	in->computes = true;
	if (bytes > EXPRESSION_MAX || bytes > in->end - in->at) {
		cfi_reader_refuse(in);
		return;
	}
	in->end = in->at + bytes;
	while (in->at < in->end)
		cfi_reader_operands(in, operation_operands((unsigned)cfi_reader_number(in, 1)));
	in->end = end;
	if (in->refused)
		in->at = end;
}

void cfi_reader_operands(struct cfi_reader *in, const char *kinds)
{
	if (!kinds) {
		cfi_reader_refuse(in);
		return;
	}
	for (; *kinds; kinds++)
		switch (*kinds) {
		case 'u':
			cfi_reader_leb(in);
			break;
		case 'r':
			if (cfi_reader_leb(in) >= in->registers)
				cfi_reader_refuse(in);
			break;
		case 'p':
			cfi_reader_pointer(in, in->pointer);
			break;
		case 'b':
			expression(in);
			break;
		default:
			cfi_reader_skip(in, (unsigned)(*kinds - '0'));
		}
}

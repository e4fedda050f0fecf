/* Numbers, addresses and the operands of instructions and operations. */
#include "runtime/sample/cfi/cfi_verify.h"

#include <stddef.h>

#define EXPRESSION_MAX 256
#define LEB_BYTES_MAX  10

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
	unsigned size = unwind_module_pointer_bytes(encoding);

	if (!size || (encoding & 0x70) > 0x30)
		cfi_reader_refuse(in);
	else
		cfi_reader_skip(in, size);
}

/* Returns the operands of an operation, as cfi_reader_operands() takes them (DWARF 4, 2.5). */
static const char *operation_operands(unsigned operation)
{
	static const char *const operands[] = {
		[0x03] = "8",					 /* addr */
		[0x06] = "",					 /* deref */
		[0x08] = "1", "1", "2", "2", "4", "4", "8", "8", /* constants */
		[0x12] = "",  "",  "",	"1", "",  "",		 /* dup … pick, swap, rot */
		[0x19] = "",  "",				 /* abs, and */
		[0x1c] = "",					 /* minus */
		[0x1e] = "",  "",  "",	"",  "",  "u", "",  "",
		"",	      "",		      /* mul … plus_uconst … xor */
		[0x29] = "",  "",  "",	"",  "",  "", /* eq … ne */
		[0x94] = "1",			      /* deref_size */
		[0x96] = "",			      /* nop */
	};

	if (operation >= 0x30 && operation <= 0x4f) /* lit0 … */
		return "";
	if (operation >= 0x70 && operation <= 0x8f) /* breg0 … */
		return "u";
	/* div overflows, skip and bra jump, the others are not needed */
	return operation < sizeof(operands) / sizeof(operands[0]) ? operands[operation] : NULL;
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

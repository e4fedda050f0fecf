/*
 * The forms of operations are strings with one letter for each:
 *   '.'  nothing follows            'm'  ModR/M
 *   'b'  a byte                     'M'  ModR/M and a byte
 *   'z'  four bytes, or two         'Z'  ModR/M and four bytes, or two
 *   'j'  four bytes, always         'w'  two bytes
 *   'a'  an address of eight bytes  'q'  a register's width
 *   'e'  three bytes (enter)        't'  ModR/M, and a byte if its middle is 0 or 1 (test)
 *   'T'  the same with four or two  'p'  a prefix
 *   '-'  not an operation
 */
#include "runtime/sample/unwind/unwind_return_x86_64.h"

#include <string.h>

static const char one_byte[] = "mmmmbz--mmmmbz--mmmmbz--mmmmbz--"  /* 00 */
			       "mmmmbzp-mmmmbzp-mmmmbzp-mmmmbzp-"  /* 20 */
			       "--------------------------------"  /* 40: REX and push, pop below */
			       "---mppppzZbM....bbbbbbbbbbbbbbbb"  /* 60 */
			       "MZ-Mmmmmmmmmmmmm..........-....."  /* 80 */
			       "aaaa....bz......bbbbbbbbqqqqqqqq"  /* a0 */
			       "MMw.--MZe.w..b-.mmmm---.mmmmmmmm"  /* c0 */
			       "bbbbbbbbjj-b....p.pp..tT......mm"; /* e0 */

static const char two_bytes[] = "mmmm-......-.m-Mmmmmmmmmmmmmmmmm"  /* 0f 00 */
				"mmmm----mmmmmmmm......-.--------"  /* 20 */
				"mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"  /* 40 */
				"mmmmmmmmmmmmmmmmMMMMmmm.mm--mmmm"  /* 60 */
				"jjjjjjjjjjjjjjjjmmmmmmmmmmmmmmmm"  /* 80 */
				"...mMm--...mMmmmmmmmmmmmmmMmmmmm"  /* a0 */
				"mmMmMMMm........mmmmmmmmmmmmmmmm"  /* c0 */
				"mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"; /* e0 */

_Static_assert(sizeof(one_byte) == 257 && sizeof(two_bytes) == 257, "one letter each");

struct input {
	const uint8_t *code;
	unsigned bytes;
	unsigned at;
	bool over;
};

/* Returns the next 1, 2, 3, 4 or 8 bytes.  A copy of as many bytes as a variable says would be a
 * call. */
static uint64_t take(struct input *in, unsigned bytes)
{
	uint64_t value = 0;

	if (bytes > in->bytes - in->at) {
		in->over = true;
		in->at = in->bytes;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)in->code[in->at + i] << 8 * i;
	in->at += bytes;
	return value;
}

static int64_t take_signed(struct input *in, unsigned bytes)
{
	uint64_t value = take(in, bytes);

	if (bytes == 1)
		return (int8_t)value;
	return bytes == 2 ? (int16_t)value : (int32_t)value;
}

static void memory_operand(struct input *in, struct unwind_instruction *found)
{
	unsigned mode, base;

	found->modrm = (uint8_t)take(in, 1);
	mode = found->modrm >> 6;
	base = found->modrm & 7;
	if (mode == 3)
		return;
	if (base == 4) {
		found->sib = (uint8_t)take(in, 1);
		base = found->sib & 7;
	}
	if (mode == 1)
		found->offset = take_signed(in, 1);
	else if (mode == 2 || base == 5)
		found->offset = take_signed(in, 4);
}

static void operands(struct input *in, struct unwind_instruction *found, char form)
{
	unsigned width = found->narrow ? 2 : 4;

	if (form == '.')
		return;
	if (form == 'm' || form == 'M' || form == 'Z' || form == 't' || form == 'T')
		memory_operand(in, found);
	if (form == 'b' || form == 'M' || (form == 't' && !(found->modrm >> 4 & 3)))
		found->value = take_signed(in, 1);
	else if (form == 'z' || form == 'Z' || (form == 'T' && !(found->modrm >> 4 & 3)))
		found->value = take_signed(in, width);
	else if (form == 'j')
		found->value = take_signed(in, 4);
	else if (form == 'w')
		found->value = take_signed(in, 2);
	else if (form == 'a' || form == 'q')
		take(in, form == 'a' || found->rex & 8 ? 8 : width);
	else if (form == 'e')
		take(in, 3);
}

/* Reads prefixes, up to the first byte that is not a prefix. */
static uint8_t prefixes(struct input *in, struct unwind_instruction *found)
{
	for (;;) {
		uint8_t byte = (uint8_t)take(in, 1);

		if (one_byte[byte] != 'p' || in->over)
			return byte;
		if (byte == 0x66)
			found->narrow = true;
	}
}

/* Reads the bytes behind C5, C4 or 62.  One byte selects the map.  All operations of these maps
 * have ModR/M, except vzeroupper. */
static void vector(struct input *in, struct unwind_instruction *found, uint8_t first)
{
	unsigned map = 1;

	found->map = 2;
	if (first == 0xc5) {
		take(in, 1);
	} else {
		map = (unsigned)take(in, 1) & (first == 0xc4 ? 31 : 7);
		take(in, first == 0xc4 ? 1 : 2);
	}
	found->operation = (uint8_t)take(in, 1);
	if (map == 1)
		operands(in, found, two_bytes[found->operation]);
	else
		operands(in, found, map == 3 ? 'M' : 'm');
}

/* True for AMD's XOP: it looks like a pop, with a register in the middle of ModR/M that pop does
 * not have. */
static bool is_xop(const struct input *in, uint8_t first)
{
	return first == 0x8f && in->at < in->bytes && (in->code[in->at] & 31) >= 8;
}

static void xop(struct input *in, struct unwind_instruction *found)
{
	unsigned map = (unsigned)take(in, 2) & 31;

	found->map = 2;
	found->operation = (uint8_t)take(in, 1);
	found->narrow = false;
	operands(in, found, map == 8 ? 'M' : (map == 9 ? 'm' : 'Z'));
}

static void escaped(struct input *in, struct unwind_instruction *found)
{
	uint8_t byte = (uint8_t)take(in, 1);

	if (byte == 0x38 || byte == 0x3a) {
		found->map = 2;
		found->operation = (uint8_t)take(in, 1);
		operands(in, found, byte == 0x38 ? 'm' : 'M');
		return;
	}
	found->map = 1;
	found->operation = byte;
	if (two_bytes[byte] == '-')
		in->over = true;
	operands(in, found, two_bytes[byte]);
}

bool unwind_decode(const uint8_t *code, unsigned bytes, struct unwind_instruction *found)
{
	struct input in = { .code = code, .bytes = bytes };
	uint8_t byte;

	memset(found, 0, sizeof(*found));
	byte = prefixes(&in, found);
	if ((byte & 0xf0) == 0x40) {
		found->rex = byte & 15;
		byte = (uint8_t)take(&in, 1);
	}
	if (found->rex & 8)
		found->narrow = false;
	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
		vector(&in, found, byte);
	} else if (is_xop(&in, byte)) {
		xop(&in, found);
	} else if (byte == 0x0f) {
		escaped(&in, found);
	} else {
		found->operation = byte;
		if ((byte & 0xf0) != 0x50 && (one_byte[byte] == '-' || one_byte[byte] == 'p'))
			in.over = true;
		operands(&in, found, (byte & 0xf0) == 0x50 ? '.' : one_byte[byte]);
	}
	found->bytes = in.at;
	return !in.over;
}

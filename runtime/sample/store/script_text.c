/* The memory may change while it is read, so every character is checked as it comes. */
#include "runtime/sample/store/script_new.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/sys/poison.h"

#define PIECE_BYTES	    4096 /* the most that memory_copy() takes; a multiple of every width */
#define CHARACTER_MAX	    4	 /* bytes in UTF-8 */
#define REPLACEMENT	    0xfffdu
#define LARGEST		    0x10ffffu
#define IS_SURROGATE(point) ((point) >= 0xd800 && (point) <= 0xdfff)
#define IS_BYTE(point)	    ((point) >= 0xdc80 && (point) <= 0xdcff)
#define IS_FOLLOWING(byte)  (((unsigned char)(byte)&0xc0) == 0x80)

static _Alignas(uint32_t) unsigned char piece[PIECE_BYTES]; /* W, R: the caller */

static size_t encode(uint32_t point, enum script_text_use use, unsigned char *into)
{
	if (use == SCRIPT_TEXT_PATH && IS_BYTE(point)) {
		into[0] = (unsigned char)point;
		return 1;
	}
	if (point > LARGEST || IS_SURROGATE(point))
		point = REPLACEMENT;
	if (point < 0x80) {
		into[0] = (unsigned char)point;
		return 1;
	}
	if (point < 0x800) {
		into[0] = (unsigned char)(0xc0 | point >> 6);
		into[1] = (unsigned char)(0x80 | (point & 0x3f));
		return 2;
	}
	if (point < 0x10000) {
		into[0] = (unsigned char)(0xe0 | point >> 12);
		into[1] = (unsigned char)(0x80 | (point >> 6 & 0x3f));
		into[2] = (unsigned char)(0x80 | (point & 0x3f));
		return 3;
	}
	into[0] = (unsigned char)(0xf0 | point >> 18);
	into[1] = (unsigned char)(0x80 | (point >> 12 & 0x3f));
	into[2] = (unsigned char)(0x80 | (point >> 6 & 0x3f));
	into[3] = (unsigned char)(0x80 | (point & 0x3f));
	return 4;
}

static uint32_t point_at(const unsigned char *bytes, size_t width)
{
	uint16_t two;
	uint32_t four;

	switch (width) {
	case 2:
		memcpy(&two, bytes, sizeof(two));
		return two;
	case 4:
		memcpy(&four, bytes, sizeof(four));
		return four;
	default:
		return bytes[0];
	}
}

/* Returns the length without the part of a character at the end. */
static size_t without_part(const char *bytes, size_t count)
{
	for (size_t back = 1; back < CHARACTER_MAX && back <= count; back++) {
		unsigned char byte = (unsigned char)bytes[count - back];

		if (IS_FOLLOWING(byte))
			continue;
		if ((byte >= 0xc0 && back < 2) || (byte >= 0xe0 && back < 3) || byte >= 0xf0)
			return count - back;
		break;
	}
	return count;
}

static long read_bytes(const struct script_text *text, enum script_text_use use, char *into,
		       size_t max)
{
	size_t count = text->bytes < max ? text->bytes : max;

	for (size_t at = 0; at < count; at += PIECE_BYTES) {
		size_t part = count - at < PIECE_BYTES ? count - at : PIECE_BYTES;

		if (!memory_copy(into + at, text->address + at, part))
			return SCRIPT_TEXT_UNREADABLE;
	}
	if (count < text->bytes && use != SCRIPT_TEXT_TABLE)
		count = without_part(into, count);
	return (long)count;
}

static bool append(size_t part, size_t width, enum script_text_use use, char *into, size_t max,
		   size_t *count)
{
	for (size_t i = 0; i + width <= part; i += width) {
		unsigned char character[CHARACTER_MAX];
		size_t bytes = encode(point_at(piece + i, width), use, character);

		if (*count + bytes > max)
			return false;
		for (size_t k = 0; k < bytes; k++)
			into[(*count)++] = (char)character[k];
	}
	return true;
}

static long read_characters(const struct script_text *text, size_t width, enum script_text_use use,
			    char *into, size_t max)
{
	/* no character is shorter than one byte, so no more of them are needed */
	size_t all = text->bytes / width < max ? text->bytes : max * width, count = 0;

	for (size_t at = 0; at < all; at += PIECE_BYTES) {
		size_t part = all - at < PIECE_BYTES ? all - at : PIECE_BYTES;

		if (!memory_copy(piece, text->address + at, part))
			return SCRIPT_TEXT_UNREADABLE;
		if (!append(part, width, use, into, max, &count))
			break;
	}
	return (long)count;
}

long script_text_read(const struct script_text *text, enum script_text_use use, char *into,
		      size_t max)
{
	switch (text->encoding) {
	case CODE_LATIN1:
		return read_characters(text, 1, use, into, max);
	case CODE_UCS2:
		return read_characters(text, 2, use, into, max);
	case CODE_UCS4:
		return read_characters(text, 4, use, into, max);
	case CODE_BYTES:
	default:
		return read_bytes(text, use, into, max);
	}
}

static bool append_part(const struct script_text *text, uint32_t max, char *into, uint32_t *count)
{
	uint32_t bytes = text->bytes < max ? text->bytes : max, n = 0;

	into += *count;
	if (!memory_copy(into, text->address, bytes))
		return false;
	while (n < bytes && into[n])
		n++;
	*count += n < text->bytes && n == max ? (uint32_t)without_part(into, n) : n;
	return true;
}

struct script_text script_text_qualified(const struct script_text *class,
					 const struct script_text *name, char *into)
{
	uint32_t count = 0;

	if (!append_part(class, CODE_QUALIFIED_CLASS, into, &count))
		return (struct script_text){ 0 };
	into[count++] = ':';
	into[count++] = ':';
	if (!append_part(name, CODE_QUALIFIED_NAME, into, &count))
		return (struct script_text){ 0 };
	return (struct script_text){ (uintptr_t)into, count, CODE_BYTES };
}

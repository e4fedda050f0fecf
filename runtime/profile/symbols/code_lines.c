/*
 * CPython's tables run through the bytes of the code and say how the line changes.  Each version
 * has a file that describes its format: Objects/lnotab_notes.txt (3.9, 3.10), Objects/locations.md
 * (3.11 on).
 */
#include "runtime/profile/symbols/code_lines.h"

#include <stdbool.h>

#define NO_LINE_DELTA (-128) /* 3.10: the bytes have no line */
#define UNIT_BYTES    2	     /* 3.11: lengths count units of code */

/* The codes of an entry of 3.11; those below have the line of the entry before. */
enum { ONE_LINE_FIRST = 10, ONE_LINE_LAST = 12, NO_COLUMNS = 13, LONG = 14, NO_LOCATION = 15 };

struct table {
	const unsigned char *next, *end;
};

static int signed_byte(unsigned char byte)
{
	return byte < 0x80 ? byte : byte - 0x100;
}

/* 3.9: pairs of a step in the code and a step of the line, which holds from there on. */
static int64_t find_lnotab(struct table table, int64_t line, uint32_t place)
{
	uint64_t at = 0;

	for (; table.end - table.next >= 2; table.next += 2) {
		at += table.next[0];
		if (at > place)
			break;
		line += signed_byte(table.next[1]);
	}
	return line;
}

/* 3.10: pairs of a length in the code and a step of the line, which is taken first. */
static int64_t find_pep626(struct table table, int64_t line, uint32_t place)
{
	uint64_t end = 0;

	for (; table.end - table.next >= 2; table.next += 2) {
		int delta = signed_byte(table.next[1]);

		end += table.next[0];
		if (delta != NO_LINE_DELTA)
			line += delta;
		if (end > place)
			return delta == NO_LINE_DELTA ? 0 : line;
	}
	return 0;
}

/* Six bits a byte, the lowest first; the bit above says that more follow.  The sign is the lowest
 * bit. */
static int64_t take_signed(struct table *table)
{
	uint64_t value = 0;
	bool more = true;

	for (unsigned shift = 0; more && table->next < table->end; shift += 6) {
		if (shift < 30)
			value |= (uint64_t)(*table->next & 0x3f) << shift;
		more = *table->next++ & 0x40;
	}
	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* 3.11: entries of a byte with a code and a length, and a location.  Only the first byte has its
 * highest bit set. */
static int64_t find_pep657(struct table table, int64_t line, uint32_t place)
{
	uint64_t end = 0;

	while (table.next < table.end) {
		unsigned first = *table.next++;
		unsigned code = first >> 3 & 15;

		end += UNIT_BYTES * ((first & 7) + 1);
		if (code >= ONE_LINE_FIRST && code <= ONE_LINE_LAST)
			line += code - ONE_LINE_FIRST;
		else if (code == NO_COLUMNS || code == LONG)
			line += take_signed(&table);
		if (end > place)
			return code == NO_LOCATION ? 0 : line;
		while (table.next < table.end && !(*table.next & 0x80))
			table.next++;
	}
	return 0;
}

uint32_t code_lines_find(const struct spool_code *code, const char *table, size_t bytes,
			 uint32_t place)
{
	const unsigned char *start = (const unsigned char *)table;
	const struct table all = { start, start + bytes };
	int64_t line = 0;

	switch (code->lines) {
	case SPOOL_LINES_PLACE:
		line = place;
		break;
	case SPOOL_LINES_LNOTAB:
		line = find_lnotab(all, code->first_line, place);
		break;
	case SPOOL_LINES_PEP626:
		line = find_pep626(all, code->first_line, place);
		break;
	case SPOOL_LINES_PEP657:
		line = find_pep657(all, code->first_line, place);
		break;
	default:
		break;
	}
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : code->first_line;
}

/*
 * One line of text in a fixed buffer, and the edit distance between two names.
 */
#include "config/text/line.h"

#include <string.h>

#define DISTANCE_MAX 63

struct line line_start(char *out, size_t bytes)
{
	out[0] = '\0';
	return (struct line){ .out = out, .bytes = bytes };
}

void line_add_bytes(struct line *line, const char *text, size_t length)
{
	size_t room = line->bytes - 1 - line->used;

	line->cut |= length > room;
	if (length > room)
		length = room;
	memcpy(line->out + line->used, text, length);
	line->used += length;
	line->out[line->used] = '\0';
}

void line_add(struct line *line, const char *text)
{
	line_add_bytes(line, text, strlen(text));
}

void line_add_number(struct line *line, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	line_add_bytes(line, digits + at, sizeof(digits) - at);
}

void line_add_escaped(struct line *line, const char *text, size_t length, size_t limit)
{
	static const char hex[] = "0123456789abcdef";
	size_t shown = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)text[i];
		char escape[4] = { '\\', 'x', hex[byte >> 4], hex[byte & 15] };
		size_t width = byte >= 0x20 && byte < 0x7f ? 1 : sizeof(escape);

		if (shown + width > limit) {
			line_add(line, "...");
			return;
		}
		line_add_bytes(line, width == 1 ? text + i : escape, width);
		shown += width;
	}
}

static unsigned least(unsigned one, unsigned other)
{
	return one < other ? one : other;
}

unsigned line_distance(const char *one, size_t one_length, const char *other, size_t other_length)
{
	unsigned char row[3][DISTANCE_MAX + 1];
	unsigned char *before = row[0];
	unsigned char *last = row[1];
	unsigned char *now = row[2];

	if (one_length > DISTANCE_MAX)
		one_length = DISTANCE_MAX;
	if (other_length > DISTANCE_MAX)
		other_length = DISTANCE_MAX;
	for (size_t j = 0; j <= other_length; j++)
		now[j] = (unsigned char)j;
	for (size_t i = 1; i <= one_length; i++) {
		unsigned char *free_row = before;

		before = last;
		last = now;
		now = free_row;
		now[0] = (unsigned char)i;
		for (size_t j = 1; j <= other_length; j++) {
			bool same = one[i - 1] == other[j - 1];
			unsigned cost = least(last[j] + 1u, now[j - 1] + 1u);

			cost = least(cost, last[j - 1] + (same ? 0u : 1u));
			if (i > 1 && j > 1 && one[i - 1] == other[j - 2] &&
			    one[i - 2] == other[j - 1])
				cost = least(cost, before[j - 2] + 1u);
			now[j] = (unsigned char)cost;
		}
	}
	return now[other_length];
}

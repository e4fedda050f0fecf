/* The text has one line per clock: its name, the seconds (with a sign) and the nanoseconds. */
#include "runtime/spool/clock_offset.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "config/text/text.h"

static int64_t number(const char **text)
{
	const char *digits = *text + strspn(*text, " \t");
	bool negative = *digits == '-';
	uint64_t value = text_to_number(digits + negative, 10, text);

	return (int64_t)(negative ? 0 - value : value);
}

int64_t clock_offset_ns(const char *text, const char *clock)
{
	size_t length = strlen(clock);
	const char *line = text;
	uint64_t seconds;

	while (line && strncmp(line, clock, length) != 0) {
		line = strchr(line, '\n');
		line += line ? 1 : 0;
	}
	if (!line)
		return 0;
	line += length;
	seconds = (uint64_t)number(&line);
	return (int64_t)(seconds * 1000000000 + (uint64_t)number(&line));
}

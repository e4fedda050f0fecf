/*
 * Matching without fnmatch(3), which may allocate.  Backtracking remembers only the last '*', so
 * that the time is bounded by the product of the lengths.
 */
#include "config/text/glob.h"

#include <stddef.h>

/* Offset of the ']' that closes the class opened at `open`, or 0.  A ']' in first place is a
 * member. */
static size_t class_end(const char *pattern, size_t open)
{
	size_t at = open + 1;

	if (pattern[at] == '!' || pattern[at] == '^')
		at++;
	if (pattern[at] == ']')
		at++;
	while (pattern[at] && pattern[at] != ']')
		at++;
	return pattern[at] ? at : 0;
}

int glob_check(const char *pattern, struct complaint *complaint)
{
	struct scan scan = { .text = pattern, .complaint = complaint };

	if (!*pattern)
		return scan_expected(&scan, "name");
	for (size_t at = 0; pattern[at]; at++) {
		if (pattern[at] == '/')
			return scan_refuse_at(&scan, at, 1,
					      ": a name of an executable has no directory");
		if (pattern[at] == '\\' && !pattern[++at])
			return scan_refuse(&scan, at - 1, NULL, "\\", 1, " quotes nothing");
		if (pattern[at] == '[' && (at == 0 || pattern[at - 1] != '\\')) {
			if (!class_end(pattern, at))
				return scan_refuse(&scan, at, NULL, "[", 1, " is never closed");
			at = class_end(pattern, at);
		}
	}
	return 0;
}

static bool in_class(const char *pattern, size_t open, size_t close, unsigned char byte)
{
	bool negated = pattern[open + 1] == '!' || pattern[open + 1] == '^';
	bool found = false;

	for (size_t at = open + 1 + (negated ? 1 : 0); at < close; at++) {
		unsigned char low = (unsigned char)pattern[at];
		unsigned char high = low;

		if (pattern[at + 1] == '-' && at + 2 < close) {
			high = (unsigned char)pattern[at + 2];
			at += 2;
		}
		found |= low <= byte && byte <= high;
	}
	return found != negated;
}

/* Match one element of the pattern against a byte.  Returns the element's length, or 0 if it
 * does not match. */
static size_t element(const char *pattern, char byte)
{
	if (pattern[0] == '?')
		return 1;
	if (pattern[0] == '[') {
		size_t close = class_end(pattern, 0);

		if (close)
			return in_class(pattern, 0, close, (unsigned char)byte) ? close + 1 : 0;
	}
	if (pattern[0] == '\\' && pattern[1])
		return pattern[1] == byte ? 2 : 0;
	return pattern[0] == byte ? 1 : 0;
}

bool glob_match(const char *pattern, const char *name)
{
	const char *star = NULL;  /* the element after the last '*', */
	const char *retry = name; /* and how much of the name that '*' has matched */

	while (*name) {
		size_t step;

		if (*pattern == '*') {
			star = ++pattern;
			retry = name;
			continue;
		}
		step = *pattern ? element(pattern, *name) : 0;
		if (step) {
			pattern += step;
			name++;
			continue;
		}
		if (!star)
			return false;
		pattern = star;
		name = ++retry;
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

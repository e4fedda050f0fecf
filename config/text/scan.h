/*
 * Parsing of the values that a user wrote: a cursor over the text, and complaints that point at
 * the wrong byte.  Positions in the text of a complaint count from 1.
 */
#ifndef CONFIG_TEXT_SCAN_H
#define CONFIG_TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An error in a text, and its place. */
struct complaint {
	size_t at;	  /* offset of the first offending byte */
	char reason[256]; /* what was found and what is accepted; no newline */
};

struct scan {
	const char *text;
	size_t at;
	struct complaint *complaint;
};

/* One accepted word and its value.  A table of words ends with a NULL text. */
struct scan_word {
	const char *text;
	unsigned value;
};

/* Complain that the text at the cursor is not `noun` ("digit").  Always returns -EINVAL. */
int scan_expected(const struct scan *scan, const char *noun);

/* Complain at offset `at` with a reason of up to three parts.  The middle part is shown escaped
 * and shortened; NULL parts are left out.  Always returns -EINVAL. */
int scan_refuse(const struct scan *scan, size_t at, const char *before, const char *shown,
		size_t shown_length, const char *after);

/* Complain about the `length` bytes at `at`, for the reason `after`.  Always returns -EINVAL. */
int scan_refuse_at(const struct scan *scan, size_t at, size_t length, const char *after);

/* If `byte` stands at the cursor, move past it and return true. */
bool scan_skip(struct scan *scan, char byte);

/* Returns 0 if the whole text was read.  Otherwise complains, and names with `noun` what could
 * follow. */
int scan_end(const struct scan *scan, const char *noun);

/* Parse decimal digits.  A number greater than 2^63-1 is refused. */
int scan_digits(struct scan *scan, uint64_t *number);

/* Parse a 64-bit code as perf does: decimal, 0x and hexadecimal, or 0 and octal digits. */
int scan_code(struct scan *scan, uint64_t *code);

/* Read hexadecimal digits without 0x; the last 16 count.  Returns their number, 0 if there are
 * none. */
size_t scan_hex(const char *text, uint64_t *code);

/* Parse decimal digits, or 0x and hexadecimal digits, and optionally k, M or G for powers of
 * 1000. */
int scan_count(struct scan *scan, uint64_t *number);

/* Parse decimal digits, optionally K, M or G for powers of 1024, and optionally B or iB. */
int scan_bytes(struct scan *scan, uint64_t *bytes);

/* Parse decimal digits with an optional fraction, of which nine digits count and the rest rounds,
 * and an optional unit (ns us ms s m h; s without one). */
int scan_duration(struct scan *scan, uint64_t *ns);

/* Length of the word at the cursor: letters, digits, '-', '_' and '.'. */
size_t scan_word_length(const struct scan *scan);

/* Parse the word at the cursor by a table.  The complaint about an unknown word names the
 * nearest. */
int scan_word(struct scan *scan, const struct scan_word *words, unsigned *value);

/* Complain about the unknown word of `length` bytes at `at`.  The complaint names the nearest of
 * the `count` names that name(i, context) returns.  Always returns -EINVAL. */
int scan_unknown(const struct scan *scan, size_t at, size_t length, const char *noun,
		 const char *(*name)(size_t i, const void *context), size_t count,
		 const void *context);

#endif

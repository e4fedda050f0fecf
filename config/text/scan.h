/*
 * Reading the values a user wrote: a cursor over the text, and complaints that point at the
 * byte that is wrong.  Positions in complaints' texts count from 1.
 */
#ifndef CONFIG_TEXT_SCAN_H
#define CONFIG_TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is wrong with a text, and where. */
struct complaint {
	size_t at;	  /* offset of the first offending byte */
	char reason[256]; /* what was found, what is accepted; no newline */
};

struct scan {
	const char *text;
	size_t at;
	struct complaint *complaint;
};

/* One accepted word and what it means; a table of them ends with a NULL text. */
struct scan_word {
	const char *text;
	unsigned value;
};

/* Complain that what stands at the cursor is not `noun` ("digit"); always -EINVAL. */
int scan_expected(const struct scan *scan, const char *noun);

/* Complain at offset `at` with a reason of up to three parts, the middle one shown escaped and
 * shortened; NULL parts are left out; always -EINVAL. */
int scan_refuse(const struct scan *scan, size_t at, const char *before, const char *shown,
		size_t shown_length, const char *after);

/* True, and one byte further, if `byte` stands at the cursor. */
bool scan_skip(struct scan *scan, char byte);

/* Zero if the whole text was read, else a complaint that `noun` would go on. */
int scan_end(const struct scan *scan, const char *noun);

/* Decimal digits; a number past 2^63-1 is refused. */
int scan_digits(struct scan *scan, uint64_t *number);

/* What perf takes for 64 bits of a code: decimal, 0x and hexadecimal, or 0 and octal digits. */
int scan_code(struct scan *scan, uint64_t *code);

/* Decimal digits, or 0x and hexadecimal ones, then perhaps k, M or G for powers of 1000. */
int scan_count(struct scan *scan, uint64_t *number);

/* Decimal digits, then perhaps K, M or G for powers of 1024, and perhaps B or iB. */
int scan_bytes(struct scan *scan, uint64_t *bytes);

/* Decimal digits, perhaps with a fraction, and a unit (ns us ms s m h; s without one). */
int scan_duration(struct scan *scan, uint64_t *ns);

/* Length of the word at the cursor: letters, digits, '-', '_' and '.'. */
size_t scan_word_length(const struct scan *scan);

/* Read the word at the cursor and look it up; an unknown one is answered with the nearest. */
int scan_word(struct scan *scan, const struct scan_word *words, unsigned *value);

/* Complain about the unknown word of `length` bytes at `at`, naming the nearest of `count`
 * names that name(i, context) gives; always -EINVAL. */
int scan_unknown(const struct scan *scan, size_t at, size_t length, const char *noun,
		 const char *(*name)(size_t i, const void *context), size_t count,
		 const void *context);

#endif

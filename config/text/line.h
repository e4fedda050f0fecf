/*
 * Building one line of text in a fixed buffer, without stdio, locale or allocation: it runs in
 * the target's constructor.  What does not fit is cut; the buffer always ends in NUL.
 */
#ifndef CONFIG_TEXT_LINE_H
#define CONFIG_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line {
	char *out;
	size_t bytes;
	size_t used;
	bool cut; /* something did not fit */
};

/* Start an empty line in `out`, of at least one byte, which the caller keeps.  Context: any. */
struct line line_start(char *out, size_t bytes);

/* Append a string, a number of bytes, a decimal number.  Context: any. */
void line_add(struct line *line, const char *text);
void line_add_bytes(struct line *line, const char *text, size_t length);
void line_add_number(struct line *line, uint64_t number);

/* Append text that somebody else wrote so that it stays on the line and on the terminal: bytes
 * that are not printable ASCII become \xNN; past `limit` characters it ends in "...".
 * Context: any. */
void line_add_escaped(struct line *line, const char *text, size_t length, size_t limit);

/* Number of single-character edits (insert, remove, replace, swap neighbours) between two
 * texts, of which only the first 63 bytes are looked at.  Context: any. */
unsigned line_distance(const char *one, size_t one_length, const char *other, size_t other_length);

#endif

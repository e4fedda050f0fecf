/*
 * Builds one line of text in a fixed buffer without stdio, locale or allocation, because it runs
 * in the target's constructor.  Text that does not fit is cut.  The buffer always ends in NUL.
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
	bool cut; /* some text did not fit */
};

/* Start an empty line in `out`, which has `bytes` bytes, at least one.  The caller keeps the
 * buffer.  Context: any. */
struct line line_start(char *out, size_t bytes);

/* Append a string, a number of bytes, or a decimal number.  Context: any. */
void line_add(struct line *line, const char *text);
void line_add_bytes(struct line *line, const char *text, size_t length);
void line_add_number(struct line *line, uint64_t number);

/* Append foreign text so that it stays on the line and is safe on the terminal.  Bytes that are
 * not printable ASCII become \xNN.  After `limit` characters it ends in "...".  Context: any. */
void line_add_escaped(struct line *line, const char *text, size_t length, size_t limit);

/* Number of single-character edits (insert, remove, replace, swap neighbours) between two texts.
 * Only the first 63 bytes of each count.  Context: any. */
unsigned line_distance(const char *one, size_t one_length, const char *other, size_t other_length);

#endif

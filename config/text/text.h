/*
 * Builds short texts (messages, file names, lines of settings) in a buffer that the caller
 * provides. It uses no stdio, locale or allocation, so it also runs in the target, in constructors
 * and in signal handlers.  A text that does not fit is cut, and `cut` is set.  It always ends with
 * a NUL.
 */
#ifndef CONFIG_TEXT_TEXT_H
#define CONFIG_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A NUL-terminated text in a buffer of the caller. */
struct text {
	char *bytes;
	size_t size; /* of the buffer */
	size_t used; /* without the NUL */
	bool cut;    /* something did not fit */
};

/* Returns an empty text in a buffer of size > 0.  The buffer must outlive the text.  Context: any,
 * like all functions here. */
struct text text_into(char *bytes, size_t size);

/* These append a string, strings up to a NULL, `count` bytes, a decimal number, and a hexadecimal
 * number without "0x". */
void text_add(struct text *text, const char *more);
void text_add_all(struct text *text, const char *first, ...) __attribute__((sentinel));
void text_add_bytes(struct text *text, const char *more, size_t count);
void text_number(struct text *text, uint64_t number);
void text_hex(struct text *text, uint64_t number);

/* Appends untrusted text so that it cannot leave its line or control the terminal: each byte that
 * is not printable ASCII becomes \xNN.  After `limit` characters it ends in "...". */
void text_escaped(struct text *text, const char *more, size_t length, size_t limit);

/* Returns the name of an errno value ("EACCES"), or NULL if it has none here; the caller then
 * prints "errno N". */
const char *text_errno(int err);

/* Returns the number that the text begins with, in base 10 or 16 (lower case); 0 without digits.
 * *end is set to the first byte behind it, unless `end` is NULL.  Context: any. */
uint64_t text_to_number(const char *digits, unsigned base, const char **end);

/* These fill a buffer with a string, strings up to a NULL, or `count` bytes: at most size-1 bytes
 * and a NUL.  They return true if all of it fitted. */
bool text_copy(char *to, size_t size, const char *from);
bool text_make(char *to, size_t size, const char *first, ...) __attribute__((sentinel));
bool text_copy_bytes(char *to, size_t size, const char *from, size_t count);

/* Returns the number of single-character edits (insert, remove, replace, swap neighbours) between
 * two texts, for "nearest: ..." in messages about unknown names.  Only their first 63 bytes are
 * compared. */
unsigned text_distance(const char *one, size_t one_length, const char *other, size_t other_length);

#endif

/*
 * Builds short texts (messages, file names, lines of settings) in a buffer of the caller's, without
 * stdio, locale or allocation: it runs in the target, in constructors and signal handlers too.
 * A text that does not fit is cut and says so.  It always ends with a NUL.
 */
#ifndef CONFIG_TEXT_TEXT_H
#define CONFIG_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A NUL-terminated text that grows in a buffer of the caller's. */
struct text {
	char *bytes;
	size_t size; /* of the buffer */
	size_t used; /* without the NUL */
	bool cut;    /* something did not fit */
};

/* Start an empty text in a buffer of size > 0, which the caller keeps.  Context of all: any. */
struct text text_into(char *bytes, size_t size);

/* Append a string, a number of bytes, a decimal number, a hexadecimal number without "0x". */
void text_add(struct text *text, const char *more);
void text_add_bytes(struct text *text, const char *more, size_t count);
void text_number(struct text *text, uint64_t number);
void text_hex(struct text *text, uint64_t number);

/* Append text of unknown origin so that it stays on the line and on the terminal: bytes that are
 * not printable ASCII become \xNN; past `limit` characters it ends in "...". */
void text_escaped(struct text *text, const char *more, size_t length, size_t limit);

/* Name of an errno value ("EACCES"); "errno N" is the caller's when NULL is returned. */
const char *text_errno(int err);

/* Copy at most size-1 bytes and end with NUL; true if all fitted. */
bool text_copy(char *to, size_t size, const char *from);

#endif

/*
 * Building short texts without stdio, locale or allocation: messages, file names.
 */
#ifndef RUNTIME_SAMPLE_SYS_TEXT_H
#define RUNTIME_SAMPLE_SYS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A NUL-terminated text that grows in a buffer that the caller provides. */
struct text {
	char *bytes;
	size_t size; /* of the buffer, in bytes */
	size_t used; /* without the NUL */
	bool cut;    /* something did not fit */
};

/* Start an empty text in a buffer of size > 0.  Context of all: any. */
struct text text_into(char *bytes, size_t size);
void text_add(struct text *text, const char *more);
void text_add_bytes(struct text *text, const char *more, size_t count);
void text_number(struct text *text, uint64_t number);
void text_hex(struct text *text, uint64_t number);

/* Returns the name of an errno value ("EACCES").  NULL: the caller writes "errno N" itself. */
const char *text_errno(int err);

/* Copy at most size-1 bytes and end with NUL.  Returns true if everything fitted. */
bool text_copy(char *to, size_t size, const char *from);

#endif

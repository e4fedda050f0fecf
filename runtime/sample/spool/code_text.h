/*
 * Reads a text from the memory of an interpreted program and turns it into UTF-8.
 */
#ifndef RUNTIME_SAMPLE_SPOOL_CODE_TEXT_H
#define RUNTIME_SAMPLE_SPOOL_CODE_TEXT_H

#include <stddef.h>

#include "runtime/sample/spool/code_new.h"

/* What a text is for. */
enum code_text_use {
	CODE_TEXT_NAME,	 /* UTF-8; a character that is none becomes U+FFFD */
	CODE_TEXT_PATH,	 /* likewise, but U+DC80 to U+DCFF are the bytes 0x80 to 0xff (PEP 383) */
	CODE_TEXT_TABLE, /* the bytes as they are */
};

#define CODE_TEXT_UNREADABLE (-1L)

/* Copy a text, at most `max` bytes of the result; a cut never splits a character.  The memory is
 * read by memory_copy().  Returns the number of bytes, or CODE_TEXT_UNREADABLE, with *into
 * undefined.  Uses static memory.  Context: any, one caller at a time. */
long code_text_read(const struct code_text *text, enum code_text_use use, char *into, size_t max);

#endif

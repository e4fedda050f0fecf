/*
 * Reads a text from the memory of an interpreted program and turns it into UTF-8.
 */
#ifndef RUNTIME_SAMPLE_STORE_SCRIPT_TEXT_H
#define RUNTIME_SAMPLE_STORE_SCRIPT_TEXT_H

#include <stddef.h>

#include "runtime/sample/store/script_new.h"

/* What a text is for. */
enum script_text_use {
	SCRIPT_TEXT_NAME,  /* UTF-8; a character that is none becomes U+FFFD */
	SCRIPT_TEXT_PATH,  /* likewise, but U+DC80 to U+DCFF are the bytes 0x80 to 0xff (PEP 383) */
	SCRIPT_TEXT_TABLE, /* the bytes as they are */
};

#define SCRIPT_TEXT_UNREADABLE (-1L)

/* Copy a text, at most `max` bytes of the result; a cut never splits a character.  The memory is
 * read by memory_copy().  Returns the number of bytes, or SCRIPT_TEXT_UNREADABLE, with *into
 * undefined.  Uses static memory.  Context: any, one caller at a time. */
long script_text_read(const struct script_text *text, enum script_text_use use, char *into,
		      size_t max);

#define CODE_QUALIFIED_CLASS 256 /* bytes of a class's name in a qualified name … */
#define CODE_QUALIFIED_NAME  200 /* … and of the function's */
#define CODE_QUALIFIED_MAX   (CODE_QUALIFIED_CLASS + 2 + CODE_QUALIFIED_NAME)

/* Make "CLASS::NAME", at most CODE_QUALIFIED_MAX bytes, of two texts whose encoding is CODE_BYTES.
 * Each is read by memory_copy(), ends at a zero byte if it has one, and is cut between characters
 * if it is too long.  Returns the text in `into`; none if one cannot be read.  Context: any. */
struct script_text script_text_qualified(const struct script_text *class,
					 const struct script_text *name, char *into);

#endif

/*
 * What is known of a function of an interpreter when a sample meets it: the key by which it is
 * found again, and where its texts are, which are read from the memory of the program and turned
 * into UTF-8.
 */
#ifndef RUNTIME_SAMPLE_STORE_SCRIPT_NEW_H
#define RUNTIME_SAMPLE_STORE_SCRIPT_NEW_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format_code.h"

#define SCRIPT_TABLE_PRINT_WORDS 3

/* What is certainly another function if it differs. */
struct code_key {
	uint64_t address;
	uint64_t print[SCRIPT_TABLE_PRINT_WORDS];
};

/* Returns a fingerprint to which one more word was added.  Context: any. */
static inline uint64_t code_mix(uint64_t print, uint64_t word)
{
	print = (print ^ word) * 0x9e3779b97f4a7c15ULL;
	return print ^ print >> 29;
}

enum code_encoding {
	CODE_BYTES,  /* as they are: file names, tables */
	CODE_LATIN1, /* one byte a character */
	CODE_UCS2,   /* two bytes */
	CODE_UCS4,   /* four bytes */
};

/* A text in the program's memory.  bytes == 0: none. */
struct script_text {
	uint64_t address;
	uint32_t bytes; /* of the memory at address */
	enum code_encoding encoding;
};

struct script_new {
	enum spool_language language;
	enum spool_lines lines;
	uint32_t first_line;
	struct script_text name, qualified, file, table;
};

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

/*
 * The functions of interpreters: a frame whose pc lies in [SPOOL_PC_CODE, SPOOL_PC_CODE_END) is one
 * of them.  Its function is an entry of the list of SPOOL_CHUNK_CODES, which refers to texts in the
 * list of SPOOL_CHUNK_TEXTS.
 *
 * The payloads of all chunks of texts, one after the other, are one sequence of bytes, and a
 * chunk's `count` is the number of its bytes.  A text may go on in the next chunk.  It is complete
 * before the code that refers to it is published.  Equal texts may share their bytes.
 */
#ifndef RUNTIME_SPOOL_FORMAT_CODE_H
#define RUNTIME_SPOOL_FORMAT_CODE_H

#include <stdint.h>

#include "runtime/spool/format.h"

#define SPOOL_CODE_PLACE_BITS 24
#define SPOOL_CODE_PLACE_MAX  ((1u << SPOOL_CODE_PLACE_BITS) - 1)

/* The most bytes of each text.  The writer cuts names and files, and leaves a longer table out. */
#define SPOOL_CODE_NAME_MAX  512u
#define SPOOL_CODE_FILE_MAX  4096u
#define SPOOL_CODE_TABLE_MAX 65536u

/* The interpreted languages: X(identifier, number in the spool, name).  For each, the library has
 * an interp_NAME (runtime/sample/interp), and readers a language_NAME
 * (runtime/profile/languages). */
#define SPOOL_LANGUAGES(X)   \
	X(PYTHON, 1, python) \
	X(PHP, 2, php)       \
	X(RUBY, 3, ruby)     \
	X(PERL, 4, perl)

#define SPOOL_LANGUAGE_ENUM(id, number, name) SPOOL_LANGUAGE_##id = (number),
enum spool_language { SPOOL_LANGUAGES(SPOOL_LANGUAGE_ENUM) };

/* What the place of a frame is, and how a line follows from it. */
enum spool_lines {
	SPOOL_LINES_NONE = 0,	/* the place has no meaning: the function's first line */
	SPOOL_LINES_PLACE = 1,	/* the place is the line; 0: not known */
	SPOOL_LINES_LNOTAB = 2, /* CPython 3.9: bytes of code; co_lnotab */
	SPOOL_LINES_PEP626 = 3, /* CPython 3.10: bytes of code; co_linetable */
	SPOOL_LINES_PEP657 = 4, /* CPython 3.11 to 3.14: bytes of code; co_linetable */
};

/* Bytes in the sequence of texts; bytes == 0: none. */
struct spool_text {
	uint32_t at;
	uint32_t bytes;
};

/* One function.  The first entry of the list is number 1. */
struct spool_code {
	uint32_t language;   /* enum spool_language */
	uint32_t lines;	     /* enum spool_lines */
	uint32_t first_line; /* 0: not known */
	uint32_t reserved;
	struct spool_text name;	     /* UTF-8, as the language has it, such as `decode` */
	struct spool_text qualified; /* UTF-8, with its classes: `JSONDecoder.decode`; or none */
	struct spool_text file;	     /* the bytes of the path that the interpreter was given */
	struct spool_text table;     /* for `lines` */
};

/* Returns the pc of a frame.  A place above SPOOL_CODE_PLACE_MAX is not kept. */
static inline uint64_t spool_code_pc(uint32_t code, uint32_t place)
{
	return SPOOL_PC_CODE | (uint64_t)code << SPOOL_CODE_PLACE_BITS |
	       (place <= SPOOL_CODE_PLACE_MAX ? place : 0);
}

static inline int spool_code_is(uint64_t pc)
{
	return pc >= SPOOL_PC_CODE && pc < SPOOL_PC_CODE_END;
}

static inline uint32_t spool_code_of(uint64_t pc)
{
	return (uint32_t)(pc >> SPOOL_CODE_PLACE_BITS);
}

static inline uint32_t spool_code_place(uint64_t pc)
{
	return (uint32_t)pc & SPOOL_CODE_PLACE_MAX;
}

#endif

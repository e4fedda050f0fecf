/*
 * What is known of a function of an interpreter when a sample meets it: the key by which it is
 * found again, and where its texts are.
 */
#ifndef RUNTIME_SAMPLE_STORE_SCRIPT_NEW_H
#define RUNTIME_SAMPLE_STORE_SCRIPT_NEW_H

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

#endif

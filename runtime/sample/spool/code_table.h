/*
 * The functions of interpreters that samples met, each of them once in the spool
 * (runtime/spool/format_code.h).  A function is found again by its address and a fingerprint of what
 * is there, because interpreters reuse addresses.  A function that is made again, elsewhere or at
 * the same address, is the one that it was: the spool grows with the program's text, not with time.
 */
#ifndef RUNTIME_SAMPLE_SPOOL_CODE_TABLE_H
#define RUNTIME_SAMPLE_SPOOL_CODE_TABLE_H

#include <stdint.h>

#include "runtime/spool/format_code.h"

struct spool_alloc;

#define CODE_TABLE_PRINT_WORDS 3

/* What is certainly another function if it differs. */
struct code_key {
	uint64_t address;
	uint64_t print[CODE_TABLE_PRINT_WORDS];
};

enum code_encoding {
	CODE_BYTES,  /* as they are: file names, tables */
	CODE_LATIN1, /* one byte a character */
	CODE_UCS2,   /* two bytes */
	CODE_UCS4,   /* four bytes */
};

/* A text in the program's memory.  bytes == 0: none. */
struct code_text {
	uint64_t address;
	uint32_t bytes; /* of the memory at address */
	enum code_encoding encoding;
};

struct code_new {
	enum spool_language language;
	enum spool_lines lines;
	uint32_t first_line;
	struct code_text name, qualified, file, table;
};

/* Forget all: a new spool begins.  Context: init, fork child. */
void code_table_start(struct spool_alloc *spool);

/* Returns the number of a function, or 0 if it is not known.  No lock, no system call.
 * Context: signal. */
uint32_t code_table_find(const struct code_key *key);

/* Copy a new function into the spool; its texts are read by memory_copy(), cut to bounds, and need
 * not be readable.  Returns its number; 0 if another thread is adding one (try again with the next
 * sample), if its name cannot be read, or if the spool or the table is full.  Context: signal. */
uint32_t code_table_add(const struct code_key *key, const struct code_new *code);

/* True once the table or the spool is full: functions that are not known will not be.
 * Context: any. */
int code_table_is_full(void);

#endif

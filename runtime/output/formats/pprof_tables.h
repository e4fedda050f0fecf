/*
 * The tables of a pprof message that its samples refer to: strings, mappings, functions, locations,
 * and the labels of each thread.  They are made at once from struct locations and keep its numbers:
 * location N and mapping N there are location N and mapping N here.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_PPROF_TABLES_H
#define RUNTIME_OUTPUT_FORMATS_PPROF_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/profile/base/string_table.h"

/* Its code is generated from pprof.proto. */
struct Pprof__Label;
struct Pprof__Profile;
struct locations;

struct pprof_tables {
	struct string_table strings;  /* a number is the string's index; 0 is the empty string */
	struct Pprof__Label **labels; /* of all owners, one after another */
	size_t *first_label; /* by owner - 1: its first of them; they end where the next begin */
	void *block[16];     /* all memory to be freed */
	unsigned blocks;
};

/* Make everything except the strings, and have the message refer to it.  Returns 0 or -ENOMEM.  In
 * both cases call pprof_tables_free() after the last use of the message. */
int pprof_tables_make(struct pprof_tables *tables, const struct locations *locations,
		      struct Pprof__Profile *message);
void pprof_tables_free(struct pprof_tables *tables);

/* Returns the index of a text with any bytes; 0 for an empty one and when memory is out. */
int64_t pprof_tables_string(struct pprof_tables *tables, const char *text, size_t bytes);

/* Have the message refer to all strings added so far.  Returns 0 or -ENOMEM. */
int pprof_tables_strings(struct pprof_tables *tables, struct Pprof__Profile *message);

/* Returns zeroed memory that lives as long as the tables; NULL when memory is out. */
void *pprof_tables_take(struct pprof_tables *tables, size_t count, size_t bytes);

#endif

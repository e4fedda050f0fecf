/*
 * The tables of a pprof message that its samples refer to: strings, mappings, functions and
 * locations, and the labels of each thread.  Made at once from struct locations, in its order:
 * location N there is location N here, mapping N mapping N.
 */
#ifndef RUNTIME_FOLD_FORMATS_PPROF_TABLES_H
#define RUNTIME_FOLD_FORMATS_PPROF_TABLES_H

#include <stddef.h>
#include <stdint.h>

/* Its code is generated from pprof.proto. */
struct Pprof__Label;
struct Pprof__Profile;
struct locations;
struct string_table;

#define PPROF_TABLES_LABELS 4

struct pprof_tables {
	struct string_table *strings; /* a number is the string's index; 0 is the empty string */
	struct Pprof__Label **labels; /* PPROF_TABLES_LABELS for each owner; NULL: none */
	void *block[16];	      /* all that has to be freed */
	unsigned blocks;
};

/* Make everything but the strings and have the message refer to it.  Returns 0 or -ENOMEM; in
 * either case pprof_tables_free is to be called, after the message's last use. */
int pprof_tables_make(struct pprof_tables *tables, const struct locations *locations,
		      struct Pprof__Profile *message);
void pprof_tables_free(struct pprof_tables *tables);

/* Index of a text, whatever bytes it has; 0 for an empty one and when memory is out. */
int64_t pprof_tables_string(struct pprof_tables *tables, const char *text, size_t bytes);

/* Have the message refer to all strings so far.  Returns 0 or -ENOMEM. */
int pprof_tables_strings(struct pprof_tables *tables, struct Pprof__Profile *message);

/* Zeroed memory that lives as long as the tables; NULL when memory is out. */
void *pprof_tables_take(struct pprof_tables *tables, size_t count, size_t bytes);

#endif

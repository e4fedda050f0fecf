/*
 * Lists missing names of a profile, grouped by how the user can fix them: modules without symbols,
 * code that a run-time compiler made and did not name, stacks that end in such code for lack of
 * frame pointers, and interpreters, in whose loop the functions of a script cannot be
 * distinguished.  Only names of innermost frames count.  Samples are those of the first counter
 * that samples running code.
 */
#ifndef RUNTIME_PROFILE_ANALYSIS_MISSING_SYMBOLS_H
#define RUNTIME_PROFILE_ANALYSIS_MISSING_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct missing_symbols;
struct namer;
struct spool_read;

enum missing_symbol_kind {
	MISSING_SYMBOL_SYMBOLS,	    /* `what`: path of a file without symbols for this code */
	MISSING_SYMBOL_COMPILED,    /* "java", "node", ".NET" */
	MISSING_SYMBOL_CUT,	    /* "java": its code has frame pointers only on request */
	MISSING_SYMBOL_INTERPRETED, /* path of an interpreter or its library */
};

struct missing_symbol {
	enum missing_symbol_kind kind;
	uint32_t what; /* for missing_symbols_text */
	uint64_t samples;
};

/* `namer` must outlive the result.  Returns NULL when memory is out.  Free with
 * missing_symbols_free(). */
struct missing_symbols *missing_symbols_new(struct namer *namer);
void missing_symbols_free(struct missing_symbols *gaps);

/* Add the stacks of a spool, between its namer_begin() and namer_end().  Returns 0 or -ENOMEM. */
int missing_symbols_add(struct missing_symbols *gaps, const struct spool_read *spool);

/* Returns the gaps found so far, most samples first; owned by `gaps`, valid until the next
 * missing_symbols_add(). */
const struct missing_symbol *missing_symbols_list(struct missing_symbols *gaps, size_t *count);

/* Returns the samples of all innermost frames, with and without a gap. */
uint64_t missing_symbols_samples(const struct missing_symbols *gaps);

const char *missing_symbols_text(const struct missing_symbols *gaps, uint32_t number);

#endif

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

struct gaps;
struct namer;
struct spool_read;

enum gap_kind {
	GAP_SYMBOLS,	 /* `what`: path of a file without symbols for this code */
	GAP_COMPILED,	 /* "java", "node", ".NET" */
	GAP_CUT,	 /* "java": its code has frame pointers only on request */
	GAP_INTERPRETED, /* path of an interpreter or its library */
};

struct gap {
	enum gap_kind kind;
	uint32_t what; /* for gaps_text */
	uint64_t samples;
};

/* `namer` must outlive the result.  Returns NULL when memory is out.  Free with
 * gaps_free(). */
struct gaps *gaps_new(struct namer *namer);
void gaps_free(struct gaps *gaps);

/* Add the stacks of a spool, between its namer_begin() and namer_end().  Returns 0 or -ENOMEM. */
int gaps_add(struct gaps *gaps, const struct spool_read *spool);

/* Returns the gaps found so far, most samples first; owned by `gaps`, valid until the next
 * gaps_add(). */
const struct gap *gaps_list(struct gaps *gaps, size_t *count);

/* Returns the samples of all innermost frames, with and without a gap. */
uint64_t gaps_samples(const struct gaps *gaps);

const char *gaps_text(const struct gaps *gaps, uint32_t number);

#endif

/*
 * Stacks that did not reach their outermost frame: how many, why, and in the code of which
 * module, which is the one that lacks or spoils its unwind information.
 */
#ifndef RUNTIME_FOLD_PROFILE_ENDS_H
#define RUNTIME_FOLD_PROFILE_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ends;
struct namer;
struct spool_read;
struct spool_read_node;
struct spool_read_thread;
struct string_table;

struct end {
	uint32_t reason; /* as a frame is named, "[no unwind information]": a string_table number */
	uint32_t module; /* path of the file, or "[vdso]" and the like: a string_table number */
	uint64_t samples;
};

/* Both must outlive the result.  NULL when memory is out.  Free with ends_free. */
struct ends *ends_new(struct namer *namer, struct string_table *strings);
void ends_free(struct ends *ends);

/* Add the stacks of one thread, between namer_begin and namer_end of its spool.
 * Returns 0 or -ENOMEM. */
int ends_add(struct ends *ends, const struct spool_read *spool,
	     const struct spool_read_thread *thread);

/* Those added so far, most samples first; owned by `ends`, valid until the next ends_add. */
const struct end *ends_list(struct ends *ends, size_t *count);

/* True if `node` is an outermost one that says why the frame below it could not be left. */
bool ends_is_reason(const struct spool_read_node *node);

const char *ends_text(const struct ends *ends, uint32_t number);

#endif

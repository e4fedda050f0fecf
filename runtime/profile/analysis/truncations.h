/*
 * Stacks that did not reach their outermost frame: how many, why, and in the code of which module.
 * That module lacks unwind information, or has wrong one.
 */
#ifndef RUNTIME_PROFILE_ANALYSIS_TRUNCATIONS_H
#define RUNTIME_PROFILE_ANALYSIS_TRUNCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct namer;
struct spool_read;
struct spool_read_node;
struct spool_read_thread;
struct truncations;

struct truncation {
	uint32_t reason; /* as the frame is named, "[no unwind information]": a string_table
			  * number */
	uint32_t module; /* path of the file, or "[vdso]" and similar: a string_table number */
	uint64_t samples;
};

/* `namer` must outlive the result.  Returns NULL when memory is out.  Free with
 * truncations_free(). */
struct truncations *truncations_new(struct namer *namer);
void truncations_free(struct truncations *truncations);

/* Add the stacks of one thread, between namer_begin() and namer_end() of its spool.  Returns 0 or
 * -ENOMEM. */
int truncations_add(struct truncations *truncations, const struct spool_read *spool,
		    const struct spool_read_thread *thread);

/* Returns the truncations found so far, most samples first; owned by `truncations`, valid until the
 * next truncations_add(). */
const struct truncation *truncations_list(struct truncations *truncations, size_t *count);

/* Returns true if `node` is an outermost node that says why the caller of the frame below it was
 * not found. */
bool truncations_is_reason(const struct spool_read_node *node);

#endif

/*
 * Splits the stacks of a thread by what the program said of its work: by the value of one label, or
 * by all labels and the trace (docs/labels.md).  The samples of the thread's log have them; what is
 * not in the log has none that is known.
 */
#ifndef RUNTIME_PROFILE_TREE_LABEL_SPLIT_H
#define RUNTIME_PROFILE_TREE_LABEL_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/profile/spool/spool_read.h"

struct label_split;
struct profile_options;

/* A sample of the thread, and the node of its part. */
struct label_sample {
	uint32_t sample; /* index into log.samples of the whole */
	uint32_t node;	 /* index into thread.nodes of the part */
};

struct label_part {
	struct spool_read_thread thread; /* like the whole, with a part of its weights; no log */
	const struct label_sample *samples;
	size_t sample_count;
	const char *value; /* of the key, NUL-terminated; NULL: it has none */
	uint32_t labels;   /* split by sets: the number of the set in the spool; 0: none */
	const struct spool_read_trace *trace; /* likewise; NULL: none */
	bool known;			      /* false: samples that are in no log */
	bool selected;			      /* false: all that options.only_key does not select */
};

/* True if options ask for something that needs labels.  They are of use in a spool that was read
 * with spool_read_timed_fd(). */
bool label_split_is_needed(const struct profile_options *options);

/* Split as options.label, .only_key and .label_sets say.  The spool outlives the result.  Returns
 * NULL when memory is out. */
struct label_split *label_split_new(const struct spool_read *spool,
				    const struct profile_options *options);
void label_split_free(struct label_split *split);

/* Begin a thread.  `shown` has its nodes and weights, and outlives its parts; `shown_nodes` has the
 * node of `shown` for each node of shown->log, or is NULL if they are the same.  Returns 0 or
 * -ENOMEM. */
int label_split_begin(struct label_split *split, const struct spool_read_thread *shown,
		      const uint32_t *shown_nodes);

/* Get the next part of the thread, valid until the next call.  All parts together have the weights
 * of the thread.  Returns 1, 0 if there is no further one, or -ENOMEM. */
int label_split_next(struct label_split *split, struct label_part *part);

#endif

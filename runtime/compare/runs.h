/*
 * The runs of the two sides of a comparison: the stacks of each, of one counter, made comparable.
 * Noise of the machine is set apart, and the same function has the same name in all of them.
 */
#ifndef RUNTIME_COMPARE_RUNS_H
#define RUNTIME_COMPARE_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/compare/match/runs_options.h"

struct frame_tree;
struct runs;

/* Returns NULL when memory is out.  The options are copied; their texts must outlive the runs. */
struct runs *runs_new(const struct runs_options *options);
void runs_free(struct runs *runs);

/* Add a run, with stacks that the callee takes over, also after an error.  `per_sample` is what one
 * sample stands for in the unit of the values (1 where values are samples): the variance that
 * sampling alone explains follows from it.  0: the values are exact.  Returns 0 or -ENOMEM. */
int runs_add(struct runs *runs, enum runs_side side, struct frame_tree *tree, double per_sample);

/* Set noise apart and match names, in all runs added so far.  More may be added and settled again;
 * this frees what the functions below returned.  Returns 0 or -ENOMEM. */
int runs_settle(struct runs *runs);

/* After runs_settle(), `run` counts those of the side before first. */
size_t runs_count(const struct runs *runs, enum runs_side side);
/* The stacks of a run, sorted, without noise, with names as those of the side after. */
struct frame_tree *runs_tree(const struct runs *runs, size_t run);
/* Returns how many outermost frames of these stacks are no rows of a table of functions. */
size_t runs_outer(const struct runs *runs);
/* Returns the noise of a run: interrupts, their deferred work, preemption, and sampling itself. */
double runs_noise(const struct runs *runs, size_t run);
/* Returns the mean of per_sample of a side. */
double runs_per_sample(const struct runs *runs, enum runs_side side);

/* A name of the side before that was matched to another of the side after, for readers.  Returns
 * false from the end of the list on.  The texts belong to the runs. */
bool runs_matched(const struct runs *runs, size_t index, const char **old, const char **new_name);

#endif

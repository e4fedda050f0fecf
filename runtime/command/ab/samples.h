/*
 * The measures of each run and the stacks of each counter out of its spools, and those of all runs
 * that count.
 */
#ifndef RUNTIME_COMMAND_AB_SAMPLES_H
#define RUNTIME_COMMAND_AB_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compare/runs.h"
#include "runtime/command/ab/variant.h"
#include "runtime/spool/format.h"

struct frame_tree;
struct machine;

struct run_result_counter {
	char name[SPOOL_NAME_MAX];
	const char *unit; /* static */
	struct frame_tree *tree;
	double per_sample; /* as for runs_add() */
	bool counted;	   /* the counter itself counted all of the time */
	double total;	   /* if so, what it counted */
};

struct run_result {
	double value[VARIANT_MEASURES];
	struct run_result_counter *counter;
	size_t counter_count;
	bool profiled;	   /* COMMAND itself left a spool, or none was wanted */
	bool hides_memory; /* as in variant_run */
	bool running;	   /* a process of the run was still running */
	uint64_t samples;
	uint64_t lost; /* samples that no stack carries */
};

/* Read what a run left, and keep its spools as SAVE.*.spool unless `save` is NULL.  Messages about
 * spools are printed.  `machine` may be NULL.  Returns 0; or -errno after a message.  Call
 * run_result_free() in any case.  Context: after variant_run(), before variant_end(). */
int run_result_make(struct run_result *result, const struct variant *variant,
		    const struct variant_run *run, struct machine *machine, const char *save);
void run_result_free(struct run_result *result);

struct samples_counter {
	char name[SPOOL_NAME_MAX];
	const char *unit;
	struct runs *runs;
	double *total[RUNS_SIDES]; /* of each run, by the counter itself */
	bool counted;		   /* the totals are known in all runs */
};

struct samples_variant {
	double *value[VARIANT_MEASURES];
	size_t runs;
	size_t unprofiled; /* runs in which COMMAND itself was not sampled */
	size_t hiding;	   /* runs whose greatest memory is not known */
	size_t running;	   /* runs of which a process still ran */
	uint64_t samples;
	uint64_t lost;
};

struct samples {
	const struct runs_options *options;
	size_t room; /* the most runs of a variant */
	struct samples_variant variant[RUNS_SIDES];
	struct samples_counter *counter;
	size_t counter_count;
};

/* Make room for at most `room` runs of each variant.  Returns 0 or -ENOMEM.  Call samples_free() in
 * any case.  The options are kept by their address. */
int samples_make(struct samples *samples, size_t room, const struct runs_options *options);
void samples_free(struct samples *samples);

/* Add a run; its stacks are moved out of the result.  A counter that a run lacks counts as zero in
 * it.  Returns 0 or -ENOMEM. */
int samples_add(struct samples *samples, enum runs_side which, struct run_result *result);

/* Returns whether nothing of a variant could be sampled: what it did is not known. */
bool samples_is_blind(const struct samples_variant *variant);

#endif

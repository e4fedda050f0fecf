/*
 * All runs that count, of both sides.
 */
#ifndef RUNTIME_COMMAND_AB_SAMPLES_H
#define RUNTIME_COMMAND_AB_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/command/ab/run_result.h"
#include "runtime/compare/runs.h"

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
	size_t room; /* the most runs of a side */
	struct samples_variant side[RUNS_SIDES];
	struct samples_counter *counter;
	size_t counter_count;
};

/* Make a tally for at most `room` runs of each side.  Returns 0 or -ENOMEM.  Call samples_free() in
 * any case.  The options are kept by their address. */
int samples_make(struct samples *tally, size_t room, const struct runs_options *options);
void samples_free(struct samples *tally);

/* Add a run; its stacks are taken out of the harvest.  A counter that a run lacks counts as zero in
 * it.  Returns 0 or -ENOMEM. */
int samples_add(struct samples *tally, enum runs_side which, struct run_result *harvest);

/* Returns whether nothing of a side could be sampled: what it did is not known. */
bool samples_is_blind(const struct samples_variant *side);

#endif

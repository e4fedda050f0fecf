/*
 * What one run left: its measures, and the stacks of each counter out of its spools.
 */
#ifndef RUNTIME_COMMAND_AB_RUN_RESULT_H
#define RUNTIME_COMMAND_AB_RUN_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
int run_result_make(struct run_result *harvest, const struct variant *side,
		    const struct variant_run *run, struct machine *machine, const char *save);
void run_result_free(struct run_result *harvest);

#endif

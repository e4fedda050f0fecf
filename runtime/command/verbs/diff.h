/* The parts of `flametrap diff`: its job, its options, and the reading of all runs. */
#ifndef RUNTIME_COMMAND_VERBS_DIFF_H
#define RUNTIME_COMMAND_VERBS_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/command/options/comparing.h"
#include "runtime/command/verbs/picture.h"
#include "runtime/compare/comparison.h"
#include "runtime/compare/runs.h"

struct machine;

/* The operands of one side. */
struct diff_side {
	char **path; /* owned by argv; those of a run stand together */
	size_t count;
	size_t *size; /* number of operands of each run */
	size_t runs;
	char label[512];
	char part[96]; /* notes_window() of the last run; empty: all of its time */
};

/* A counter that all runs have. */
struct diff_counter {
	char name[SPOOL_NAME_MAX]; /* empty: of folded files */
	const char *unit;	   /* of the values of its stacks */
	bool counts_ns;		   /* unit of its total */
	uint64_t period, frequency_hz;
	struct runs *runs;
	double *total[2]; /* by run; NULL for folded files */
	double per_sample;
	bool missing;  /* in a run */
	bool compared; /* it is in the comparison */
};

struct diff {
	struct picture_choice choice;
	struct comparing comparing;
	unsigned rows;
	bool pairs;
	struct window window;	/* of before: --before-from and --before-to */
	struct diff_side loose; /* operands without --before or --after in front */
	struct diff_side side[2];
	struct diff_side *named; /* the side named last; NULL: none */
	bool folded;		 /* the runs are folded files */
	bool measured;		 /* wall and CPU time of all runs are known */
	bool whole;		 /* a run has samples */
	double *wall_ns[2], *cpu_ns[2];
	struct diff_counter *counters;
	size_t counter_count;
	struct machine *machine;
	struct comparison comparison;
};

/* Read the command line.  Returns 0; or a negative number with the exit status in *status after
 * help, or after a message, for which *status stays as it is. */
int diff_options_read(struct diff *diff, int argc, char **argv, int *status);

/* Read all runs of both sides into the job's counters, which are settled.  Returns 0; or -errno
 * after a message. */
int diff_read(struct diff *diff);

#endif

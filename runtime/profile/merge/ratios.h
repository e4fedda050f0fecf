/*
 * Ratios of counters of one group.  These were counted over the same stretches of the program, so
 * the events of one per event of another are a property of each function.
 */
#ifndef RUNTIME_PROFILE_MERGE_RATIOS_H
#define RUNTIME_PROFILE_MERGE_RATIOS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct profile;

/* The ratio `scale` * events of counter `of` / events of counter `by`. */
struct ratios_pair {
	unsigned of;
	unsigned by;
	double scale;
	char by_name[64]; /* name of `by`, as in the title */
	char title[192];  /* unit of its numbers: "instructions per cycle", "page-faults per ms of
			   * task-clock" */
};

/* Choose the most useful ratio for a counter within its group.  Returns false if there is none: the
 * counter is the divisor of the others, or stands alone. */
bool ratios_choose(const struct profile *profile, unsigned counter, struct ratios_pair *pair);

/* Find the ratio that a text names: "A/B", or "A" for the choice of ratios_choose().  Counters
 * are named with or without their modifiers.  Returns 0; or -ENOENT, -EINVAL with the reason in
 * `line`. */
int ratios_find(const struct profile *profile, const char *text, struct ratios_pair *pair,
		char *line, size_t bytes);

/* One function's self events of both counters. */
struct ratios_row {
	const char *name;
	uint64_t of;
	uint64_t by;
	double ratio;
};

/* Call `row` for the functions with most of `by`, each with its own ratio; at most `rows` of them
 * (all if 0).  Returns 0 or -errno. */
int ratios_each(struct profile *profile, const struct ratios_pair *pair, unsigned rows,
		void (*row)(const struct ratios_row *row, void *context), void *context);

/* Print a table of them.  Returns like ratios_each(). */
int ratios_print(struct profile *profile, const struct ratios_pair *pair, unsigned rows,
		 FILE *file);

#endif

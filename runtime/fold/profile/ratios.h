/*
 * Counters of one group were counted over the same stretches of the program: what one of them
 * says per event of another is a property of each function.
 */
#ifndef RUNTIME_FOLD_PROFILE_RATIOS_H
#define RUNTIME_FOLD_PROFILE_RATIOS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct profile;

/* `scale` times the events of counter `of` by the events of counter `by`. */
struct ratios_pair {
	unsigned of;
	unsigned by;
	double scale;
	char by_name[64]; /* of `by`, as the title calls it */
	char title[192]; /* what its numbers count: "instructions per cycle", "page-faults per ms of
			    task-clock" */
};

/* The ratio that tells something of a counter within its group; false if there is none: it is
 * what others are divided by, or stands alone. */
bool ratios_choose(const struct profile *profile, unsigned counter, struct ratios_pair *pair);

/* The ratio that a text asks for: "A/B", or "A" for what ratios_choose says of it.  Counters are
 * called by name, with their modifiers or without.  Returns 0; or -ENOENT, -EINVAL with `line`
 * telling why not. */
int ratios_find(const struct profile *profile, const char *text, struct ratios_pair *pair,
		char *line, size_t bytes);

/* One function's own events of both counters. */
struct ratios_row {
	const char *name;
	uint64_t of;
	uint64_t by;
	double ratio;
};

/* Tell the functions with most of `by`, each with its own ratio; `rows` of them, 0: all.
 * Returns 0 or -errno. */
int ratios_each(struct profile *profile, const struct ratios_pair *pair, unsigned rows,
		void (*row)(const struct ratios_row *row, void *context), void *context);

/* A table of the functions with most of `by`, each with its own ratio; `rows` of them, 0: all.
 * Returns 0 or -errno. */
int ratios_print(struct profile *profile, const struct ratios_pair *pair, unsigned rows,
		 FILE *file);

#endif

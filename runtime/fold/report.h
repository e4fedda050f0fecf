/*
 * The report: top functions as a table, what was lost, what it cost; plain text.
 */
#ifndef RUNTIME_FOLD_REPORT_H
#define RUNTIME_FOLD_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "config/settings.h"

struct profile;
struct stacks;

struct report_options {
	unsigned rows;	  /* functions in a table; 0: all */
	unsigned columns; /* width of a line; names that do not fit are cut; 0: no limit */
	enum settings_weight weight;
};

/* Who ran, how it was sampled, what was lost.  Context: any. */
void report_summary(const struct profile *profile, FILE *file);

/* One counter of a profile: what it counted, and its table.  Returns 0 or -errno. */
int report_counter(struct profile *profile, unsigned counter, const struct report_options *options,
		   FILE *file);

/* The table of any sorted stacks; `unit` is what a value counts.  Returns 0 or -ENOMEM. */
int report_table(struct stacks *stacks, const char *unit, const struct report_options *options,
		 FILE *file);

#endif

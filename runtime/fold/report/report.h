/*
 * The report: top functions as a table, what was lost, what it cost; plain text.
 */
#ifndef RUNTIME_FOLD_REPORT_REPORT_H
#define RUNTIME_FOLD_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "config/settings/settings.h"

struct frame_tree;
struct profile;

struct spool_counter;

/* What a row is: a frame of a profile that was read with profile_options.modules, .lines or .files
 * where it is no function; or what stands behind the command, in one that was read with a frame for
 * each thread, or with .processes. */
enum report_by {
	REPORT_BY_FUNCTION,
	REPORT_BY_MODULE,
	REPORT_BY_THREAD,
	REPORT_BY_PROCESS,
	REPORT_BY_FILE,
	REPORT_BY_LINE,
	REPORT_BY_COUNT,
};

struct report_options {
	unsigned rows;	  /* functions in a table; 0: all */
	unsigned columns; /* width of a line; names that do not fit are cut; 0: no limit */
	enum settings_weight weight;
	enum report_by by;
	bool by_total; /* rows in the order of their totals instead of their own values */
	const struct spool_counter
		*measured;    /* if not NULL: values are shown as event_scale.h has it */
	const char *function; /* if not NULL: its callers and callees instead of all functions */
};

/* "function", "module" and so on; static. */
const char *report_by_name(enum report_by by);

/* True for a kind of row that has no callers: threads and processes. */
bool report_by_origin(enum report_by by);

/* Cut stacks to what stands at that depth (1: the command), as rows of a table of threads or
 * processes.  Returns 0 with *tree another tree; or -ENOMEM with the old one. */
int report_cut(struct frame_tree **tree, size_t depth);

/* Who ran, how it was sampled, what was lost.  Context: any. */
void report_summary(const struct profile *profile, FILE *file);

/* What the values of a counter's stacks count; static. */
const char *report_unit(const struct spool_counter *counter, enum settings_weight weight);

/* The stacks that a counter's table is made of; those of time off the processor end at functions
 * that wait (wait_sites.h) if the profile was read with profile_options.waits.  Returns 0 with
 * *tree to be freed by frame_tree_free, or -errno. */
int report_tree(struct profile *profile, unsigned counter, const struct report_options *options,
		struct frame_tree **tree);

/* One counter of a profile: what it counted, and its table.  Returns 0 or -errno. */
int report_counter(struct profile *profile, unsigned counter, const struct report_options *options,
		   FILE *file);

/* The table of any sorted stacks, as options say; `unit` is what a value counts.  Returns 0 or
 * -ENOMEM. */
int report_table(struct frame_tree *tree, const char *unit, const struct report_options *options,
		 FILE *file);

#endif

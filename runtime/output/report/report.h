/* The report in plain text: top functions as a table, losses, and cost. */
#ifndef RUNTIME_OUTPUT_REPORT_REPORT_H
#define RUNTIME_OUTPUT_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/settings/settings.h"

struct frame_tree;
struct profile;
struct profile_total;
struct spool_counter;

/* The meaning of a row.  Rows other than functions are frames of a profile that was read with
 * profile_options.modules, .lines or .files; or the frame after the command, in a profile that was
 * read with a frame for each thread, with .processes or with .label. */
enum report_by {
	REPORT_BY_FUNCTION,
	REPORT_BY_MODULE,
	REPORT_BY_THREAD,
	REPORT_BY_PROCESS,
	REPORT_BY_FILE,
	REPORT_BY_LINE,
	REPORT_BY_LABEL,
	REPORT_BY_COUNT,
};

struct report_options {
	unsigned rows;	  /* functions in a table; 0: all */
	unsigned columns; /* width of a line; names that do not fit are cut; 0: no limit */
	enum settings_weight weight;
	enum report_by by;
	bool by_total; /* sort rows by their totals instead of their self values */
	const struct spool_counter *measured; /* if not NULL: scale values as in event_scale.h */
	bool ascii;			      /* bars of ASCII characters */
	const char *files;    /* if not NULL: for a command that reads the same profile */
	const char *function; /* if not NULL: show its callers and callees instead of all
			       * functions */
};

/* Returns "function", "module" and so on; static. */
const char *report_by_name(enum report_by by);

/* Returns true for a kind of row that has no callers: threads, processes and labels. */
bool report_by_origin(enum report_by by);

/* Cut stacks to the frame at that depth (1: the command), for the rows of a table of threads or
 * processes.  Returns 0 with another tree in *tree; or -ENOMEM with the old one. */
int report_cut(struct frame_tree **tree, size_t depth);

/* The count of a counter = in stacks + paused + lost + unsampled, all in its own unit.  Return
 * the count, scaled if the counter was multiplexed; and the part of it in no sample.  That part is
 * negative where samples stand for more than was counted: the first of a thread stands for a whole
 * period, and each is scaled by itself. */
uint64_t report_counted(const struct profile_total *total);
int64_t report_unsampled(const struct profile_total *total);

/* Returns the unit of the values of a counter's stacks; static. */
const char *report_unit(const struct spool_counter *counter, enum settings_weight weight);

/* Make the stacks for a counter's table.  Those of time off the CPU end at the functions that wait
 * (wait_sites.h) if the profile was read with profile_options.waits.  Returns 0 with *tree, to be
 * freed with frame_tree_free(), or -errno. */
int report_tree(struct profile *profile, unsigned counter, const struct report_options *options,
		struct frame_tree **tree);

/* Print the processes, how they were sampled, and the losses. */
void report_summary(const struct profile *profile, FILE *file);

/* Print one counter of a profile: its count, and its table.  Returns 0 or -errno. */
int report_counter(struct profile *profile, unsigned counter, const struct report_options *options,
		   FILE *file);

/* Print the table of any sorted stacks; `unit` is the unit of a value.  Returns 0 or -ENOMEM. */
int report_table(struct frame_tree *tree, const char *unit, const struct report_options *options,
		 FILE *file);

#endif

/*
 * The report for programs: CSV with one row for each line of a table, or one JSON object.
 *
 * CSV: counter,unit,kind,name,self,total,self_percent,total_percent,ratio, where kind is
 * function, module, thread, process, file, line, caller, callee or ratio (whose counter is what it
 * counts, "page-faults per ms of task-clock"), and what makes no sense for a kind is empty.
 */
#ifndef RUNTIME_FOLD_REPORT_REPORT_DATA_H
#define RUNTIME_FOLD_REPORT_REPORT_DATA_H

#include <stdbool.h>
#include <stdio.h>

#include "runtime/fold/report/report.h"

struct frame_tree;
struct profile;
struct ratios_pair;

struct report_data {
	FILE *file;
	bool json;
	bool first;			 /* nothing was written yet of the list at hand */
	const struct ratios_pair *ratio; /* the last one written; NULL: none was */
	const struct report_options *options;
};

/* `profile` may be NULL: nothing is known but tables to come. */
void report_data_begin(struct report_data *data, const struct profile *profile);

/* The functions of one counter's stacks, or the callers and callees of the one in options; as
 * JSON with the counter's account before them.  `profile` may be NULL: the stacks are of folded
 * files, and their counter has no name.  Returns 0 or -errno. */
int report_data_table(struct report_data *data, const struct profile *profile, unsigned counter,
		      struct frame_tree *tree);

/* A ratio by function; after the last table.  Returns 0 or -errno. */
int report_data_ratio(struct report_data *data, struct profile *profile,
		      const struct ratios_pair *pair);

/* Call at the end. */
void report_data_end(struct report_data *data);

#endif

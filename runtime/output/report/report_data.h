/*
 * The report for programs: CSV with one row for each line of a table, or one JSON object.
 *
 * CSV: counter,unit,kind,name,self,total,self_percent,total_percent,ratio.  kind is function,
 * module, thread, process, file, line, caller, callee or ratio.  The counter of a ratio is its
 * unit, "page-faults per ms of task-clock".  Columns that do not apply to a kind are empty.
 */
#ifndef RUNTIME_OUTPUT_REPORT_REPORT_DATA_H
#define RUNTIME_OUTPUT_REPORT_REPORT_DATA_H

#include <stdbool.h>
#include <stdio.h>

#include "runtime/output/report/report.h"
#include "runtime/profile/base/json.h"

struct frame_tree;
struct profile;
struct ratios_pair;

struct report_data {
	FILE *file;
	bool json;
	const struct report_options *options;
	struct json out;     /* set by report_data_begin(); on `file` */
	unsigned ratios;     /* number written so far */
	const char *counter; /* of the current table */
	const char *unit;
};

/* `profile` may be NULL: then nothing is known except the tables that follow. */
void report_data_begin(struct report_data *data, const struct profile *profile);

/* Write the functions of one counter's stacks, or the callers and callees of the function in
 * options; in JSON after the counter's account.  `profile` may be NULL: the stacks are of folded
 * files, and their counter has no name.  Returns 0 or -errno. */
int report_data_table(struct report_data *data, const struct profile *profile, unsigned counter,
		      struct frame_tree *tree);

/* Write a ratio by function; call after the last table.  Returns 0 or -errno. */
int report_data_ratio(struct report_data *data, struct profile *profile,
		      const struct ratios_pair *pair);

/* Call at the end. */
void report_data_end(struct report_data *data);

#endif

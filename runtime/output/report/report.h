/* The report in plain text: top functions as a table, losses, and cost. */
#ifndef RUNTIME_OUTPUT_REPORT_REPORT_H
#define RUNTIME_OUTPUT_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/settings/settings.h"
#include "runtime/profile/base/json.h"

struct frame_tree;
struct profile;
struct profile_total;
struct ratios_pair;
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

/* One function in a tree of stacks.  Each stack that contains the function counts once: for the
 * caller of its outermost frame of the function, and for the callee of its innermost frame of the
 * function.  So the callers add up to the total, and self plus the callees do too. */
struct callers {
	uint64_t self;
	uint64_t total;
	struct frame_tree *callers; /* stacks of one frame, largest first; includes a command that
				     * runs the function itself */
	struct frame_tree *callees; /* likewise */
};

/* Find the functions whose names fit `name` best, by name_fit.h, as one.  Returns 0 with *found, to
 * be freed with callers_free(), whose total is 0 if none fits; or -ENOMEM. */
int callers_find(struct frame_tree *tree, const char *name, struct callers *found);
void callers_free(struct callers *found);

/* Print callers above and callees below, each with its share of the function's total.  `unit` is
 * the unit of a value.  At most `rows` of each are shown (all if it is 0).  Names that do not fit
 * into `columns` are cut (none if it is 0). */
void callers_print(const struct callers *found, const char *name, const char *unit, unsigned rows,
		   unsigned columns, FILE *file);

/* Print the shape of a run: the load of a counter over time as a line of bars, and the moments that
 * stand out; nothing if the profile has no timeline, or too few samples.  Returns 0 or -ENOMEM. */
int report_load_print(const struct profile *profile, unsigned counter,
		      const struct report_options *options, FILE *file);

/* Write the same as a member "shape" of a JSON object; null if there is
 * none.  Returns 0 or -ENOMEM. */
int report_load_json(const struct profile *profile, unsigned counter, struct json *json);

/*
 * The report for programs: CSV with one row for each line of a table, or one JSON object.
 *
 * CSV: counter,unit,kind,name,self,total,self_percent,total_percent,ratio.  kind is function,
 * module, thread, process, file, line, caller, callee or ratio.  The counter of a ratio is its
 * unit, "page-faults per ms of task-clock".  Columns that do not apply to a kind are empty.
 */
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

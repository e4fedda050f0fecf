/*
 * The data of a page while it is made: what its writers share, the JSON text (viewer_head.c) and
 * the columns.
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_PARTS_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/settings/settings.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/time/timeline.h"
#include "runtime/spool/format.h"

struct gzip;
struct json;
struct profile;
struct profile_trees;
struct viewer_code;

/*
 * The samples that a page has: those of a profile's timeline, or for a profile without times its
 * stacks, all at one moment.
 */
struct viewer_samples {
	const struct profile *profile;
	const struct timeline *timeline; /* `moment` for a profile without times */
	struct timeline moment;
	struct timeline_process nobody; /* of `moment`, like the next */
	struct timeline_track nowhere;
	const struct timeline_sample *list; /* includes some that the page does not have */
	size_t listed;
	struct timeline_sample *own; /* the list, unless it is the timeline's */
	size_t count;		     /* of those that the page has */
	uint8_t *number;	     /* of a counter in the page, by its number in the profile */
	unsigned counter[SPOOL_COUNTERS_MAX]; /* in the profile, by its number in the page */
	unsigned counters;
	uint32_t timeless; /* track of the samples without a time; TIMELINE_NONE: there are none */
	uint64_t joined;   /* samples that viewer_samples_halve() joined with others */
};

/* `timeline` may be NULL.  Both arguments must outlive the result.  Returns 0 or -ENOMEM.  Call
 * viewer_samples_free() in both cases. */
int viewer_samples_make(struct viewer_samples *samples, const struct profile *profile,
			const struct timeline *timeline);
void viewer_samples_free(struct viewer_samples *samples);

/* Returns the first sample that the page has after `sample`, or the first one for NULL.  NULL after
 * the last. */
const struct timeline_sample *viewer_samples_next(const struct viewer_samples *samples,
						  const struct timeline_sample *sample);

/* Join neighbours until about half of the samples are left, in the way of a full log: of each two
 * of the same track and counters one remains, with the values of both; the chance to remain is
 * proportional to the value.  So the sums of a counter stay exact.  Returns 0; -ENODATA if no two
 * can be joined; or -ENOMEM. */
int viewer_samples_halve(struct viewer_samples *samples);

/* The frames of a page: the nodes of the profile's tree that its samples need, with the modules of
 * their code, and where threads wait (wait_sites.h).  Numbers are in the order of appearance, so
 * that the same profile gives the same page. */
struct viewer_nodes {
	const struct profile_trees *merge;
	uint32_t *number; /* of a node in the page, by node of merge->calls */
	uint32_t *node;	  /* of merge->calls, by node of the page; the root first */
	uint32_t count;
	const char **names; /* the root's first */
	uint32_t name_count;
	uint32_t *module;	       /* number in `modules`, by node of merge->calls; 0: none */
	struct string_table modules;   /* paths */
	struct map name_numbers;       /* a number of merge->strings to one of `names` */
	struct string_table wait_rows; /* texts: "read_request -> __poll -> do_sys_poll_[k]" */
	uint32_t *wait_function;       /* number in `names`, by row - 1 */
	uint32_t wait_count;
	uint32_t *wait; /* row, by node of the page; 0: no wait ends in it */
};

/* The arguments must outlive the result.  There are waits where the profile keeps them
 * (profile_options.waits).  Returns 0 or -ENOMEM.  Call viewer_nodes_free() in both
 * cases. */
int viewer_nodes_make(struct viewer_nodes *nodes, const struct profile_trees *merge,
		      const struct viewer_samples *samples);
void viewer_nodes_free(struct viewer_nodes *nodes);

/* Returns the number of the name of a page's node: its place in `names`. */
uint32_t viewer_nodes_name(struct viewer_nodes *nodes, uint32_t node);

/* Write the member "waits" of the page's JSON object. */
void viewer_nodes_waits(const struct viewer_nodes *nodes, struct json *json);

/* The source lines of a page: where the leaves of its samples are. */
struct viewer_line {
	uint32_t file; /* number in `files` - 1 */
	uint32_t line;
};

struct viewer_lines {
	uint32_t *number; /* of a line, by node of merge->locations->calls; 0: not known */
	uint32_t nodes;
	struct viewer_line *lines; /* by number - 1 */
	uint32_t count;
	struct string_table files; /* paths */
	struct map line_numbers;   /* {file, line} to its number */
};

/* Returns 0 or -ENOMEM.  Call viewer_lines_free() in both cases. */
int viewer_lines_make(struct viewer_lines *lines, const struct profile_trees *merge,
		      const struct viewer_samples *samples);
void viewer_lines_free(struct viewer_lines *lines);

/* Returns the number of the line of a node of merge->locations->calls; 0: not known. */
uint32_t viewer_lines_number(const struct viewer_lines *lines, uint32_t location);

/* Returns the number of a path in `files`; 0: the page does not have it. */
uint32_t viewer_lines_find(const struct viewer_lines *lines, const char *path);

/* Write the member "files" of the page's JSON object.  `texts`: with the texts of those that can be
 * read here, within limits. */
void viewer_lines_files(const struct viewer_lines *lines, bool texts, struct json *json);

/* Find the functions with most weight of their own and decode them: the instructions of a page, in
 * a profile with locations.  A profile of another user, one without locations and a machine without
 * a disassembler have none.  Returns 0 with *code, which may be NULL, or -ENOMEM. */
int viewer_code_make(struct viewer_code **code, const struct profile *profile);
void viewer_code_free(struct viewer_code *code);

/* Returns the number of the instruction of a sample that ends at a node of merge->locations->calls;
 * 0: not known.  `code` may be NULL. */
uint32_t viewer_code_number(struct viewer_code *code, uint32_t location);

/* Write the member "code" of the page's JSON object.  An instruction has a
 * line if the page has its file. */
void viewer_code_json(const struct viewer_code *code, const struct viewer_lines *lines,
		      struct json *json);

#define VIEWER_COLUMNS_MAX 15

struct viewer_data {
	const struct profile *profile;
	enum settings_weight weight;
	struct viewer_samples samples;
	struct viewer_nodes nodes;
	struct viewer_lines lines;
	struct viewer_code *code; /* NULL: none */
	uint64_t end_ns;	  /* of the axis */
	unsigned shift;		  /* the unit of times is 1 << shift ns */
};

/* Returns a time of the timeline in the page's unit. */
static inline uint32_t viewer_parts_time(const struct viewer_data *data, uint64_t time_ns)
{
	uint64_t time = time_ns >> data->shift;

	return time < UINT32_MAX ? (uint32_t)time : UINT32_MAX;
}

/* Arrays of numbers, in the order in which they lie in the data. */
struct viewer_column {
	unsigned kind;	  /* which one, as viewer_columns.c lists them */
	const char *type; /* as in viewer_data.h */
	unsigned bytes;	  /* of a value */
	size_t count;
	uint64_t offset; /* a multiple of 8 */
};

struct viewer_columns {
	struct viewer_column column[VIEWER_COLUMNS_MAX];
	unsigned count;
};

/* Choose the columns that hold more than zeros, with their types and places. */
void viewer_columns_make(struct viewer_columns *columns, struct viewer_data *data);

/* Write the member "columns" of the page's JSON object. */
void viewer_columns_json(const struct viewer_columns *columns, struct json *json);

/* Write the columns, with zeros up to the place of each. */
void viewer_columns_write(const struct viewer_columns *columns, struct viewer_data *data,
			  struct gzip *gzip);

/* Write the title of the page: the command, or "flametrap" where it is not known; at most `bytes`
 * with its NUL. */
void viewer_head_title(const struct viewer_data *data, char *text, size_t bytes);

/* Write the JSON text.  It is valid UTF-8, whatever bytes the names hold.  Errors are those of the
 * file: ferror(). */
void viewer_head_write(const struct viewer_data *data, const struct viewer_columns *columns,
		       FILE *file);

#endif

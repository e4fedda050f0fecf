/*
 * A whole comparison, as it is shown: measures of the runs (wall time, CPU time, faults), and for
 * each counter the changes of its functions.  Writers: a table for a terminal, JSON for programs,
 * Markdown for a pull request.
 */
#ifndef RUNTIME_COMPARE_COMPARISON_H
#define RUNTIME_COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "runtime/compare/changes.h"
#include "runtime/compare/statistics/statistics.h"

struct runs;

/* One number of each run. */
struct comparison_measure {
	char name[64];	   /* "wall", "cpu", "user", "sys", "max-rss", "page-faults", a counter */
	const char *unit;  /* "ns", "bytes", "" */
	double *value[2];  /* by run, in the order in which they ran; freed by comparison_free() */
	double per_sample; /* as for runs_add(); 0: exact */
	bool context;	   /* shown, but no part of the verdict (load of the machine) */
	struct changes_value result;
	struct statistics_trend drift[2]; /* chance NaN: not known */
	long outliers[2];
};

struct comparison_counter {
	char name[64];	  /* empty: a folded file's, which has no name */
	const char *unit; /* "samples", "ns", "" */
	struct changes changes;
	const struct runs *runs; /* settled, for pictures */
};

struct comparison {
	const char *label[2]; /* file names or command lines */
	size_t runs[2];
	bool paired;
	double alpha;
	struct comparison_measure *measures;
	size_t measure_count;
	struct comparison_counter *counters;
	size_t counter_count;
	char **notes; /* whole sentences about what limits the answer; owned */
	size_t note_count;
};

/* Add an empty measure or counter, to be filled by the caller before the next one is added: that
 * moves them.  Names too long are cut.  Returns NULL when memory is out. */
struct comparison_measure *comparison_add_measure(struct comparison *comparison, const char *name,
						  const char *unit);
struct comparison_counter *comparison_add_counter(struct comparison *comparison, const char *name,
						  const char *unit);

/* Compare settled runs, which must outlive the comparison, and add their counter.  Returns 0;
 * -ENODATA as changes_make(), or -ENOMEM. */
int comparison_add_runs(struct comparison *comparison, const char *name, const char *unit,
			const struct runs *runs);

/* Returns how the functions of a comparison are compared: by its alpha and its pairs. */
struct changes_options comparison_options(const struct comparison *comparison);

/* Add a sentence.  Returns 0 or -ENOMEM. */
__attribute__((format(printf, 2, 3))) int comparison_note(struct comparison *comparison,
							  const char *format, ...);

/* Add sentences that say which names of settled runs are compared as one; the first of them by
 * weight, and how many others there are.  Returns 0 or -ENOMEM. */
int comparison_note_matches(struct comparison *comparison, const struct runs *runs);

/* Compute the results of all measures, drift and outliers; mark those that are significant among
 * all that are no context (Benjamini and Hochberg).  Without R's library nothing is significant,
 * and a note says so, once.  Call it again when there are more runs.  Returns 0 or -ENOMEM. */
int comparison_judge(struct comparison *comparison);

/* Returns whether a measure (no context), the whole of a counter, or a function is significant. */
bool comparison_differs(const struct comparison *comparison);

void comparison_free(struct comparison *comparison);

struct comparison_shown {
	unsigned rows;	  /* functions in each table; 0: all */
	unsigned columns; /* width of a line; 0: no limit */
	bool all;	  /* also functions whose change is not significant */
};

/* Write it.  Each returns 0 or -EIO. */
int comparison_write_text(const struct comparison *comparison, const struct comparison_shown *shown,
			  FILE *file);
int comparison_write_json(const struct comparison *comparison, FILE *file);
int comparison_write_markdown(const struct comparison *comparison,
			      const struct comparison_shown *shown, FILE *file);

/* --fail-above: a limit for a measure's, counter's or function's relative growth. */
struct comparison_limit {
	const char *name; /* NULL: the whole: of the first counter in diff, of wall time in ab */
	double percent;	  /* above 0 */
};

/* Parse "3%", "3" or "NAME=3%"; the name is cut out of `text`.  Returns 0; or -EINVAL with `line`
 * filled. */
int comparison_limit_parse(char *text, struct comparison_limit *limit, char *line, size_t bytes);

enum comparison_answer {
	COMPARISON_BELOW,     /* the interval lies at or below the limit */
	COMPARISON_ABOVE,     /* … above it */
	COMPARISON_UNDECIDED, /* the limit lies within it */
};

/* Check a limit, with a sentence about the answer in `line`.  Names of measures come before those
 * of counters and functions, whose values with callees count.  Returns an answer, or -ENOENT with
 * `line` filled if nothing has that name. */
int comparison_check(const struct comparison *comparison, const struct comparison_limit *limit,
		     char *line, size_t bytes);

#endif

/* The options of verbs that compare runs: confidence, names, limits, and the form of the answer. */
#ifndef RUNTIME_COMMAND_OPTIONS_COMPARING_H
#define RUNTIME_COMMAND_OPTIONS_COMPARING_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/compare/comparison.h"

#define COMPARING_ALPHA 0.01 /* 99 %: with many functions, 95 % is wrong too often */

struct comparing {
	double alpha;		     /* 1 - confidence; initially COMPARING_ALPHA */
	struct runs_rename *renames; /* their texts are cut out of argv */
	size_t rename_count;
	struct comparison_limit *limits;
	size_t limit_count;
	bool json;
	bool markdown;
	bool all; /* also what is not significant */
};

/* Check that the options go together, and that limits can be checked.  Returns 0; or, with `line`
 * filled, -EINVAL; -ELIBACC without R's library. */
int comparing_check(const struct comparing *comparing, char *line, size_t bytes);

/* Check the limits in a comparison that was judged; each answer becomes a note of it, and where the
 * output is data, a message tells which limit is exceeded.  Returns 0 with *above telling whether
 * one is; or -errno after a message, -ENOENT if nothing has the name of a limit. */
int comparing_judge(const struct comparing *comparing, struct comparison *comparison, bool *above);

/* Write a comparison to standard output in the form that was asked for, with tables of `rows` rows
 * (0: all), and flush it.  Returns 0; or -errno of a failed write, or -ENOMEM. */
int comparing_write(const struct comparing *comparing, const struct comparison *comparison,
		    unsigned rows);

void comparing_free(struct comparing *comparing);

#endif

/*
 * The values of all functions in all runs of a comparison, by number of the function and run.
 */
#ifndef RUNTIME_COMPARE_CHANGES_TABLE_H
#define RUNTIME_COMPARE_CHANGES_TABLE_H

#include <stddef.h>

#include "runtime/profile/base/string_table.h"
#include "runtime/compare/match/runs_options.h"

struct runs;

enum changes_kind { CHANGES_SELF, CHANGES_TOTAL, CHANGES_KINDS };

struct changes_table {
	size_t runs[RUNS_SIDES];
	size_t functions;
	const char **name;	   /* by function; those of the runs' trees */
	double *group[RUNS_SIDES]; /* room for a value of each run */
	struct changes_table_run *run[RUNS_SIDES];
	struct string_table names;
};

/* Read settled runs, at least one a side.  Returns 0 or -ENOMEM, with a table to be freed with
 * changes_table_free() in any case.  Its names belong to the runs. */
int changes_table_read(struct changes_table *table, const struct runs *runs);
void changes_table_free(struct changes_table *table);

/* Returns the value of a function in a run; 0 if the run lacks it. */
double changes_table_value(const struct changes_table *table, enum changes_kind kind,
			   size_t function, enum runs_side side, size_t run);

#endif

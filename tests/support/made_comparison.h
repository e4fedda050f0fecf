/*
 * A made-up comparison: two runs a side, 2 s before and 2.16 s after, all of it in compute().
 */
#ifndef TESTS_SUPPORT_MADE_COMPARISON_H
#define TESTS_SUPPORT_MADE_COMPARISON_H

#include <stdbool.h>
#include <stdio.h>

#include "runtime/compare/comparison.h"

#define MADE_COMPARISON_HOSTILE "a|b`c\n\x1b[31m<i>@user\\|"

struct made_comparison {
	struct changes_function functions[4];
	struct comparison_counter counter;
	struct comparison_measure measure;
	struct comparison comparison;
	double values[2][2], factors[4];
};

typedef int made_comparison_write(const struct comparison *comparison,
				  const struct comparison_shown *shown, FILE *file);

/* Returns a value whose interval is half to both sides of the change. */
struct changes_value made_comparison_value(double before, double after, double half,
					   bool significant);

/* Fill in the comparison, which refers to the rest. */
void made_comparison(struct made_comparison *made);

/* Let the functions be normalized, at which the whole rises by 2 %; factors go from 0.8 to 1.2. */
void made_comparison_pace(struct made_comparison *made);

/* Returns what a writer writes, to be freed. */
char *made_comparison_written(const struct made_comparison *made, made_comparison_write *write,
			      const struct comparison_shown *shown);

#endif

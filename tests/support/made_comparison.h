/*
 * A made-up comparison: two runs a side, 2 s before and 2.16 s after, all of it in compute().  A
 * program that refers to it has its unit_setup() from here, which makes it anew for each case.
 */
#ifndef TESTS_SUPPORT_MADE_COMPARISON_H
#define TESTS_SUPPORT_MADE_COMPARISON_H

#include <stdbool.h>

#include "runtime/compare/comparison.h"

#define MADE_COMPARISON_HOSTILE "a|b`c\n\x1b[31m<i>@user\\|"

struct made_comparison {
	struct changes_function functions[4];
	struct comparison_counter counter;
	struct comparison_measure measure;
	struct comparison comparison;
	double values[2][2], factors[4];
};

extern struct made_comparison made;

/* Returns a value whose interval is half to both sides of the change. */
struct changes_value made_comparison_value(double before, double after, double half,
					   bool significant);

/* The functions are normalized, at which the whole rises by 2 %; factors go from 0.8 to 1.2. */
void made_comparison_pace(void);

/* No change of the functions from `begin` to before `end` is sure. */
void made_comparison_doubt(size_t begin, size_t end);

/* Write it (written.h). */
void made_comparison_text(struct comparison_shown shown);
void made_comparison_markdown(struct comparison_shown shown);
void made_comparison_json(void);

#endif

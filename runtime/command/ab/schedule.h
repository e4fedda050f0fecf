/*
 * The order of the runs of two commands, interim analyses of them, and when more runs would not
 * change the answer.
 *
 * The runs are pairs, one of each variant: A B, B A, A B, B A.  So what drifts with time (a
 * processor that warms up, a file that grows) weighs on both alike, and runs that stand side by
 * side are compared.
 *
 * Checking growing data repeatedly inflates false positives.  So alpha is divided among the
 * analyses (alpha spending, Lan and DeMets 1983).  The chance that any of them is wrong is at most
 * the sum of their chances, whatever they have in common (the union bound), so the analysis at
 * which the runs end has the confidence that was asked for, whichever it is.  The first ones get
 * little, so that most is left for the last one.
 */
#ifndef RUNTIME_COMMAND_AB_SCHEDULE_H
#define RUNTIME_COMMAND_AB_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/compare/runs.h"

struct comparison;
struct comparison_limit;

/* Returns the variant of a run: `run` is 0 or 1 in the pair. */
enum runs_side schedule_variant(size_t pair, size_t run);

/* Returns whether the runs are analysed after this many pairs of at most `most`.  After the last
 * pair they always are; before it at 5, 7, 10, 14, 20, 28 and so on, up to 80 % of `most`. */
bool schedule_is_interim(size_t pairs, size_t most);

/* Returns the part of alpha of an analysis after `pairs` pairs, at least 1: what those before it
 * have left of what may be spent by then.  An analysis that a signal forces at another number gets
 * its part likewise. */
double schedule_alpha(double alpha, size_t pairs, size_t most);

/* Returns whether all that was asked is decided by a judged comparison.  With limits: each is
 * significantly kept or exceeded; one whose name nothing has is not decided, as it may appear in
 * later runs.  Without: wall time, CPU time and the whole of each counter have each
 * significantly changed, or significantly changed by less than 1 %. */
bool schedule_decided(const struct comparison *comparison, const struct comparison_limit *limits,
		      size_t count);

#endif

/*
 * The order of the runs of two commands, and when the runs made so far are looked at.
 *
 * The runs are pairs, one of each side: A B, B A, A B, B A.  So what drifts with time (a processor
 * that warms up, a file that grows) weighs on both sides alike, and runs that stand side by side
 * are compared.
 *
 * Looking at growing data until it looks sure would find a difference in anything.  So each look
 * gets a part of alpha, and the parts add up to alpha (Lan and DeMets 1983).  The chance that any
 * of the looks is wrong is at most the sum of their chances, whatever they have in common (the
 * union bound), so the answer of the look at which the runs end has the confidence that was asked
 * for, whichever it is.  The first looks get little, so that most is left for the last one.
 */
#ifndef RUNTIME_COMMAND_AB_SCHEDULE_H
#define RUNTIME_COMMAND_AB_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/compare/runs.h"

/* Returns the side of a run: `run` is 0 or 1 in the pair. */
enum runs_side schedule_side(size_t pair, size_t run);

/* Returns whether the runs are looked at after this many pairs of at most `most`.  The last pair
 * always is; before it looks come at 5, 7, 10, 14, 20, 28 and so on, up to 80 % of `most`. */
bool schedule_looks(size_t pairs, size_t most);

/* Returns the part of alpha that belongs to a look after `pairs` pairs, at least 1: what the looks
 * before it have left of what may be spent by then.  A look that is forced at another number, by a
 * signal, gets its part likewise. */
double schedule_alpha(double alpha, size_t pairs, size_t most);

#endif

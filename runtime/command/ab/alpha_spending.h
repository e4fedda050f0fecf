/*
 * When more runs would not change the answer.
 */
#ifndef RUNTIME_COMMAND_AB_ALPHA_SPENDING_H
#define RUNTIME_COMMAND_AB_ALPHA_SPENDING_H

#include <stdbool.h>
#include <stddef.h>

struct comparison;
struct comparison_limit;

/* Returns whether all that was asked is decided by a judged comparison.  With limits: each is
 * surely kept or surely exceeded; one whose name nothing has is not decided, as it may appear in
 * later runs.  Without: wall time, CPU time and the whole of each counter have each surely changed,
 * or surely changed by less than 1 %. */
bool alpha_spending_decided(const struct comparison *comparison,
			    const struct comparison_limit *limits, size_t count);

#endif

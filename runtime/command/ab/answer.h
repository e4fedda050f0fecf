/* The comparison of the runs made so far. */
#ifndef RUNTIME_COMMAND_AB_ANSWER_H
#define RUNTIME_COMMAND_AB_ANSWER_H

#include "runtime/command/ab/ab_options.h"
#include "runtime/command/ab/variant.h"
#include "runtime/command/ab/samples.h"
#include "runtime/compare/comparison.h"

/* Compare the runs of the samples, as many of each variant, at this alpha; the samples must outlive
 * the comparison.  Returns 0 or -ENOMEM.  Call comparison_free() in any case. */
int answer_make(struct comparison *comparison, const struct samples *samples,
		const struct variant *variants, double alpha);

/* Add notes about what limits the answer, and advice: what else could explain a difference.
 * Returns 0 or -ENOMEM. */
int answer_note(struct comparison *comparison, const struct samples *samples,
		const struct ab_options *options);

#endif

/*
 * The picture of a difference: a flame graph of the first counter, or a page with all of the
 * answer.
 */
#ifndef RUNTIME_COMMAND_AB_AB_PICTURE_H
#define RUNTIME_COMMAND_AB_AB_PICTURE_H

#include <stddef.h>

#include "runtime/command/ab/ab_options.h"
#include "runtime/command/ab/samples.h"
#include "runtime/compare/comparison.h"

/* Check, before anything runs, that the picture can be written.  Returns 0; or -errno with `line`
 * filled. */
int ab_picture_check(const struct ab_options *options, char *line, size_t bytes);

/* Draw a judged comparison of the runs in the tally.  Nothing is drawn if no picture is wanted, and
 * no flame graph if no counter was compared.  Returns 0; or -errno after a message. */
int ab_picture_draw(const struct ab_options *options, const struct samples *tally,
		    const struct comparison *comparison);

#endif

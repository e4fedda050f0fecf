/*
 * Files that ab writes: the spools of all runs that count (--save), and the picture of the
 * difference, a flame graph of the first counter or a page with all of the answer.
 */
#ifndef RUNTIME_COMMAND_AB_AB_OUTPUT_H
#define RUNTIME_COMMAND_AB_AB_OUTPUT_H

#include <stddef.h>

#include "runtime/command/ab/ab_options.h"
#include "runtime/compare/comparison.h"

/* Make the directory of --save, if one is asked for and it does not exist.  One that holds spools
 * of an earlier comparison is refused: they would be taken for runs of this one.  Returns 0; or
 * -errno with `line` filled. */
int ab_output_make_directory(const struct ab_options *options, char *line, size_t bytes);

/* Returns the stem of a run's spools, DIRECTORY/NAME; NULL if none are kept. */
const char *ab_output_stem(const struct ab_options *options, const char *name, char *stem,
			   size_t bytes);

/* Remove the spools of a run that does not count after all. */
void ab_output_forget(const struct ab_options *options, const char *name);

/* Check, before anything runs, that the picture can be written.  Returns 0; or -errno with `line`
 * filled. */
int ab_output_check_picture(const struct ab_options *options, char *line, size_t bytes);

/* Draw a judged comparison.  Nothing is drawn if no picture is wanted, and no flame graph if no
 * counter was compared.  Returns 0; or -errno after a message. */
int ab_output_draw(const struct ab_options *options, const struct comparison *comparison);

#endif

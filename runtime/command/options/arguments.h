/*
 * The options and operands of a verb, read by its table in manual.h.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_ARGUMENTS_H
#define RUNTIME_COMMAND_OPTIONS_ARGUMENTS_H

#include <stddef.h>

/* Take an option by its key in the verb's table, with its value (NULL: it has none), which is
 * argv's.  Returns 0; or -EINVAL with `line` telling what is wrong with the value. */
typedef int arguments_take(int key, const char *text, char *line, size_t bytes, void *context);

/* Read the options of `verb`, wherever they stand, and count its operands, which argv ends with
 * afterwards.  --help prints the verb's help.  Returns the index of the first operand, argc if
 * there is none; or -1 with *status to exit with, after help or one line of complaint. */
int arguments_read(const char *verb, int argc, char **argv, arguments_take *take, void *context,
		   int *status);

/* Make the complaint about what getopt_long has just returned '?' or ':' for (a missing value),
 * with a leading ':' in its letters.  Returns -EINVAL with `line` filled. */
int arguments_complain(int key, char **argv, const char *verb, char *line, size_t bytes);

/* For verbs without options of their own. */
int arguments_take_none(int key, const char *text, char *line, size_t bytes, void *context);

#endif

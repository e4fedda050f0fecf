/*
 * The options and operands of a verb, read by its table in manual.h.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_ARGUMENTS_H
#define RUNTIME_COMMAND_OPTIONS_ARGUMENTS_H

#include <stddef.h>

struct manual;

/* Take an option by its key in the verb's table, with its value (NULL: it has none), which argv
 * owns.  Returns 0; or -EINVAL with `line` saying why the value is invalid. */
typedef int arguments_take(int key, const char *text, char *line, size_t bytes, void *context);

/* Read the options of `verb`, in any position, and count its operands, which argv ends with
 * afterwards.  --help prints the verb's help.  Returns the index of the first operand, argc if
 * there is none; or -1 with the exit status in *status, after help or an error message. */
int arguments_read(const char *verb, int argc, char **argv, arguments_take *take, void *context,
		   int *status);

/* Call `take` for each option of the manual, also for --help; print nothing.  The options of a verb
 * that takes settings end at COMMAND; those of other verbs may stand between operands.  Returns 0
 * with the index of the first operand in *first, which is argc if there is none; the first result
 * of `take` that is not 0, which ends the parsing; or -EINVAL with `line` naming the wrong
 * argument. */
int arguments_parse(const struct manual *manual, int argc, char **argv, arguments_take *take,
		    void *context, int *first, char *line, size_t bytes);

/* Takes nothing: for verbs without options of their own. */
int arguments_take_none(int key, const char *text, char *line, size_t bytes, void *context);

/* For verbs with one option of their own, which takes no value: sets the bool `context`. */
int arguments_take_flag(int key, const char *text, char *line, size_t bytes, void *context);

#endif

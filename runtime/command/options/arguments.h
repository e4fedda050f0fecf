/*
 * The options and operands of a verb, read by its table in manual.h.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_ARGUMENTS_H
#define RUNTIME_COMMAND_OPTIONS_ARGUMENTS_H

#include <stddef.h>

struct manual;

/* Read an option's value (NULL: it has none), which argv owns, into a field.  Returns 0; or -EINVAL
 * with `line` saying why the value is invalid. */
typedef int arguments_store(const char *text, void *field, char *line, size_t bytes);

arguments_store arguments_text; /* into a const char *: the value itself */
arguments_store arguments_flag; /* into a bool: true */

/* The field that an option of the verb's table fills.  A list of them ends with a NULL store. */
struct arguments_option {
	int key;
	arguments_store *store;
	size_t field; /* its offset in the part's struct */
};

/* Options that fill one struct. */
struct arguments_part {
	const struct arguments_option *options;
	void *filled;
};

/* The parts of a verb, for arguments_read(): any, { 0 } for none; or one option that sets a bool.
 */
#define ARGUMENTS(...)	     ((const struct arguments_part[]){ __VA_ARGS__, { 0 } })
#define ARGUMENTS_FLAG(flag) ARGUMENTS({ arguments_only_flag, flag })
extern const struct arguments_option arguments_only_flag[];

/* Read the options of `verb`, in any position, into its parts, and count its operands, which argv
 * ends with afterwards.  --help prints the verb's help.  Returns the index of the first operand,
 * argc if there is none; or -1 with the exit status in *status, after help or an error message. */
int arguments_read(const char *verb, int argc, char **argv, const struct arguments_part *parts,
		   int *status);

/* Check the number of operands of a verb whose operands are read in their places (manual.in_order):
 * the stores of OPTION_OPERAND took them.  Returns 0; or -EINVAL after a message. */
int arguments_check_count(const char *verb, size_t count);

/* Take an option by its key in the verb's table, with its value like arguments_store.  Returns 0,
 * or a result that ends the parsing, with `line` filled. */
typedef int arguments_take(int key, const char *text, char *line, size_t bytes, void *context);

/* Call `take` for each option of the manual, also for --help, and for each operand of a manual with
 * in_order; print nothing.  The options of a verb that takes settings end at COMMAND; those of
 * other verbs may stand between operands.  Returns 0
 * with the index of the first operand in *first, which is argc if there is none; the first result
 * of `take` that is not 0, which ends the parsing; or -EINVAL with `line` naming the wrong
 * argument. */
int arguments_parse(const struct manual *manual, int argc, char **argv, arguments_take *take,
		    void *context, int *first, char *line, size_t bytes);

#endif

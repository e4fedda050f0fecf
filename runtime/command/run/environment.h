/* The environment for the program: a copy that can be changed. */
#ifndef RUNTIME_COMMAND_RUN_ENVIRONMENT_H
#define RUNTIME_COMMAND_RUN_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

struct environment {
	char **entries; /* NULL-terminated */
	size_t count;
};

/* Copy a NULL-terminated environment.  Returns 0 or -ENOMEM. */
int environment_copy(struct environment *environment, char *const *from);

/* Set a variable, and replace all entries of its name.  Returns 0 or -ENOMEM. */
int environment_set(struct environment *environment, const char *name, const char *value);

/* Set a variable to `before`, its present value and `after`, with `separator` between them; or to
 * the given text alone if it is unset or empty.  One of `before` and `after` is NULL.  Returns 0 or
 * -ENOMEM. */
int environment_join(struct environment *environment, const char *name, const char *before,
		     const char *separator, const char *after);

/* --runtimes: add the options with which run-time compilers report the names of their code to a
 * profiler and keep frame pointers in it.  Each is appended to its variable, after the existing
 * ones, never in place of one.  An option that the variable already contains, with any value, is
 * left unchanged.  `interpreted`: functions of interpreted programs are found without an option,
 * and Python is not asked.  Returns 0 or -ENOMEM. */
int environment_add_runtimes(struct environment *environment, bool interpreted);

/* Remove every entry of a name. */
void environment_unset(struct environment *environment, const char *name);

void environment_free(struct environment *environment);

#endif

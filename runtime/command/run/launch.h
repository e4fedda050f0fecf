/*
 * What a program is started with: the user's settings, its environment with the library preloaded,
 * and a private directory for its spools.
 *
 * The program's environment is built first and then parsed by the same code that parses it in the
 * library, so that both accept and refuse the same.
 */
#ifndef RUNTIME_COMMAND_RUN_LAUNCH_H
#define RUNTIME_COMMAND_RUN_LAUNCH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "config/settings/settings.h"
#include "runtime/command/options/manual.h"

/* The environment for the program: a copy that can be changed. */
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

struct launch {
	char **command; /* COMMAND [ARG…], NULL-terminated; owned by the caller */
	struct options options;
	struct settings settings;
	struct environment environment; /* for the program */
	char file[PATH_MAX];		/* of COMMAND; empty if not found */
	char library[PATH_MAX];
	char spool[PATH_MAX]; /* our private directory */
	bool formats_asked;   /* the user named them */
	bool preloaded;	      /* the environment has the library */
};

/* A value for a setting that the user gave neither as an option nor in the environment. */
struct launch_default {
	size_t field;	   /* the first member of struct settings that it fills */
	const char *value; /* NULL ends a list */
};

/* Build the environment from ours, the options and the defaults, and read the settings from it.
 * `warn` is told about unknown variables; it may be NULL.  Returns 0; or -errno with `line` filled.
 * Call environment_free() in any case. */
int launch_settings(struct launch *launch, const struct launch_default *defaults,
		    void (*warn)(const char *line), char *line, size_t bytes);

/* Find COMMAND's file, which may fail, and our library.  Returns 0; or -errno with `line` filled.
 */
int launch_find(struct launch *launch, char *line, size_t bytes);

/* Check that the events can be counted here, and with --strict that COMMAND can be profiled.
 * Returns 0; or -errno with `line` filled.  Context: after launch_find(). */
int launch_check(const struct launch *launch, char *line, size_t bytes);

/* Make a private directory, beside the output `stem` if there is no better place, and name it in
 * the environment with the library.  May be called again for another run.  Returns the descriptor
 * that holds the directory's lock; or -errno with `line` filled and nothing left behind. */
int launch_spool(struct launch *launch, const char *stem, char *line, size_t bytes);

/* If the command was started with a standard descriptor closed, no file of ours may get its number,
 * because our messages would go into that file.  Programs find it closed as we did. */
void launch_reserve_streams(void);

#endif

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
#include "runtime/command/options/options.h"
#include "runtime/command/run/environment.h"

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

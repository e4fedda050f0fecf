/*
 * What is read of profiles: the options that fold, report, graph and diff have in common, and
 * how they read them.
 */
#ifndef PRELOAD_LAUNCHER_READING_H
#define PRELOAD_LAUNCHER_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "config/settings.h"
#include "runtime/fold/profile.h"

struct reading {
	const char *counter; /* --counter NAME; NULL: not given */
	enum settings_weight weight;
	enum settings_threads threads;
	bool inlined; /* --inline */
	bool lines;   /* --lines */
	bool no_demangle;
	bool tidy;
};

/* Take an option of manual_reading with its value, which stays the caller's.
 * Returns 0; or -EINVAL with `line` telling what is wrong with the value or the option. */
int reading_take(struct reading *reading, int key, const char *text, char *line, size_t bytes);

/* What one setting's value makes of the defaults.  Returns 0; or -EINVAL with `line` filled. */
int reading_setting(const char *name, const char *text, struct settings *settings, char *line,
		    size_t bytes);

/* How to read spools so, with progress.h; `warn` is told what spoils names. */
struct profile_options reading_profile(const struct reading *reading,
				       void (*warn)(const char *line));

/* A number of rows, 0 (all) to 1000000.  Returns 0; or -EINVAL with `line` filled. */
int reading_rows(const char *text, unsigned *rows, char *line, size_t bytes);

/* Width of the terminal that standard output is; 0: it is none, and nothing is cut. */
unsigned reading_columns(void);

#endif

/*
 * What is read of profiles: the options that fold, report, graph and diff have in common, and
 * how they read them.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_READING_H
#define RUNTIME_COMMAND_OPTIONS_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "config/settings/settings.h"
#include "runtime/fold/profile/profile.h"
#include "runtime/fold/report/report.h"

struct frame_tree;
struct input;

enum reading_sort {
	READING_SORT_NONE, /* not asked for */
	READING_SORT_SELF,
	READING_SORT_TOTAL,
};

struct reading {
	const char *counter; /* --counter NAME; NULL: not given */
	enum settings_weight weight;
	enum settings_threads threads;
	bool inlined; /* --inline */
	bool lines;   /* --lines */
	bool no_demangle;
	bool tidy;
	enum report_by by;
	enum reading_sort sort;
	struct selection *selection; /* --focus and --ignore; NULL: neither was given */
	bool tree;		     /* a PID stands for all that it started, too */
	bool merge;		     /* different commands are one profile */
};

void reading_free(struct reading *reading);

/* Take an option of manual_reading, or --sort, with its value, which stays the caller's.
 * Returns 0; or -EINVAL with `line` telling what is wrong with the value or the option. */
int reading_take(struct reading *reading, int key, const char *text, char *line, size_t bytes);

/* What one setting's value makes of the defaults.  Returns 0; or -EINVAL with `line` filled. */
int reading_setting(const char *name, const char *text, struct settings *settings, char *line,
		    size_t bytes);

/* How to read spools so, with progress.h; `warn` is told what spoils names. */
struct profile_options reading_profile(const struct reading *reading,
				       void (*warn)(const char *line));

/* Refuse input that cannot be shown so: folded files do not hold what --by may ask for.
 * Returns 0; or -EINVAL after saying what would.  Context: after input_open. */
int reading_check(const struct reading *reading, const struct input *input);

/* How many outermost frames of each stack are no functions' but the command's, a process's and a
 * thread's; 0 where there is but the command's. */
size_t reading_outer(const struct reading *reading);

/* Order stacks as --sort asks for, if it does. */
void reading_order(const struct reading *reading, struct frame_tree *tree);

/* A number of rows, 0 (all) to 1000000.  Returns 0; or -EINVAL with `line` filled. */
int reading_rows(const char *text, unsigned *rows, char *line, size_t bytes);

/* Width of the terminal that standard output is; 0: it is none, and nothing is cut. */
unsigned reading_columns(void);

#endif

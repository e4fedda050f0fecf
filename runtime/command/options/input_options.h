/*
 * Options for reading profiles, common to fold, report, graph and diff, and how these verbs use
 * them.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_INPUT_OPTIONS_H
#define RUNTIME_COMMAND_OPTIONS_INPUT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/settings/settings.h"
#include "runtime/command/options/manual.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/report/report.h"

struct frame_tree;
struct input;

enum input_options_sort {
	INPUT_OPTIONS_SORT_NONE, /* not given */
	INPUT_OPTIONS_SORT_SELF,
	INPUT_OPTIONS_SORT_TOTAL,
};

struct input_options {
	const char *counter; /* --counter NAME; NULL: not given */
	enum settings_weight weight;
	enum settings_threads threads;
	unsigned interp; /* --interp: 1 + enum settings_interp; 0: not given */
	bool inlined;	 /* --inline */
	bool lines;	 /* --lines */
	bool no_demangle;
	bool tidy;
	enum report_by by;
	const char *by_label;	   /* --by label:KEY; NULL: not given */
	const char *threads_label; /* --threads label:KEY; likewise */
	char *only;		   /* --label KEY=VALUE: the key; NULL: not given */
	const char *only_value;
	enum input_options_sort sort;
	struct selection *selection; /* --focus, --ignore and --hide; NULL: none was given */
	struct window window;	     /* --from, --to and --last */
	bool tree;		     /* a PID includes all its descendants */
	bool merge;		     /* read different commands as one profile */
};

void input_options_free(struct input_options *reading);

/* Parse the value of a setting that consists of words.  Returns 0 with their value in *words; or
 * -EINVAL with `line` filled. */
int input_options_setting(const struct setting *setting, const char *text, unsigned *words,
			  char *line, size_t bytes);

/* Returns the profile options for these choices, with progress_step(); `warn` is called with
 * messages about wrong names. */
struct profile_options input_options_profile(const struct input_options *reading,
					     void (*warn)(const char *line));

/* Refuse input without the requested data: folded files lack what --by may need, and times. Returns
 * 0; or -EINVAL after a message with a remedy.  Context: after input_open(). */
int input_options_check(const struct input_options *reading, const struct input *input);

/* Returns the index of the counter that --counter names, or of the first; -ENOENT after a message
 * that no spool has it. */
int input_options_counter(const struct input_options *reading, const struct input *input);

/* Returns how many outermost frames of each stack stand for the command, process and thread; 0 if
 * there is only the command's. */
size_t input_options_outer(const struct input_options *reading);

/* Sort stacks as --sort says, if it was given. */
void input_options_order(const struct input_options *reading, struct frame_tree *tree);

/* Parse a number of rows, 0 (all) to 1000000, into an unsigned; --sort into an enum
 * input_options_sort. */
options_store input_options_rows;
options_store input_options_sort;

/* Parse a time of a profile into a struct window_moment: --from, --before-from, --to and
 * --before-to.
 */
options_store input_options_from;
options_store input_options_to;

/* Returns the width of the terminal on standard output; 0 if it is no terminal, and nothing is
 * cut. */
unsigned input_options_columns(void);

/* Returns false if the user's locale has other characters than those of UTF-8. */
bool input_options_utf8(void);

#endif

/* The command line of flametrap ab. */
#ifndef RUNTIME_COMMAND_AB_AB_OPTIONS_H
#define RUNTIME_COMMAND_AB_AB_OPTIONS_H

#include <stdbool.h>

#include "runtime/command/options/comparing.h"
#include "runtime/command/options/options.h"
#include "runtime/compare/runs.h"

struct ab_options {
	struct options settings;
	struct comparing comparing;
	unsigned runs; /* the most of each variant */
	unsigned warmup;
	unsigned rows;
	const char *prepare; /* NULL, like the next ones: not given */
	const char *input;
	const char *save;
	const char *separator;
	const char *output;
	bool show_output;
	bool ignore_failure;
	bool no_early_stop;
	bool no_picture;
	char **command[RUNS_SIDES]; /* NULL-terminated, in argv */
};

/* Read the options and both commands; argv is cut into them.  Returns true; or false with the exit
 * status in *status, after help or a message.  Call comparing_free(&options->comparing) in any
 * case. */
bool ab_options_read(struct ab_options *options, int argc, char **argv, int *status);

#endif

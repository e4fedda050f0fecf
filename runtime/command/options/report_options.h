/*
 * The options of fold and report.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_REPORT_OPTIONS_H
#define RUNTIME_COMMAND_OPTIONS_REPORT_OPTIONS_H

#include <stdbool.h>

#include "runtime/command/options/input_options.h"
#include "runtime/output/report/report.h"

struct report_arguments {
	struct input_options reading;
	unsigned formats;     /* fold: --format LIST as a set of formats; 0: not given */
	const char *output;   /* fold: -o STEM; NULL: not given */
	unsigned rows;	      /* from here on for report only: --rows N; 0: all */
	const char *function; /* --function NAME; NULL: not given */
	bool csv;
	bool json;
	int status; /* exit status, set if report_options_read() says so */
};

/* Read the options of fold or report.  Returns the index of the first file; then call
 * input_options_free(&choice->reading).  Returns -1 with choice->status set after it printed help
 * or an error. */
int report_options_read(struct report_arguments *choice, const char *verb, int argc, char **argv);

#endif

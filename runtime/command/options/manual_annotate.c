/*
 * The verb that shows the lines and instructions of a function.
 */
#include "runtime/command/options/manual_tables.h"

static const struct manual_option annotate_options[] = {
	{ "rows", 'n', "N", NULL,
	  "the hottest instructions or lines, shown with three neighbours on each side; 0 is all "
	  "that have a weight (default 20)" },
	{ "all", OPTION_ALL, NULL, NULL, "the whole function" },
	{ "calls", OPTION_CALLS, NULL, NULL,
	  "a second column for each counter: the weight with what is called from there" },
	{ "source", OPTION_SOURCE, NULL, NULL, "source lines only" },
	{ "instructions", OPTION_INSTRUCTIONS, NULL, NULL, "instructions only" },
	{ "intel", OPTION_INTEL, NULL, NULL,
	  "instructions of x86 in Intel's syntax; the default is AT&T's, as in perf annotate" },
	{ "json", OPTION_JSON, NULL, NULL,
	  "everything as JSON, for programs: addresses, bytes, instructions, lines, weights" },
	{ 0 },
};

const struct manual manual_annotate = {
	.name = "annotate",
	.synopsis = { "annotate [OPTION...] FUNCTION FILE|PID..." },
	.summary = "show the hot lines and instructions of a function",
	.text = "Prints the source lines and instructions of a function, each with its percentage "
		"of the function's own weight in each counter. Rows with 5 % or more are marked "
		"with >.\n\n"
		"FUNCTION is a name as report prints it, with or without its suffix; a part of it "
		"that is clear (compute for app::compute), or a pattern such as 'str*'. Every "
		"copy is shown: in several files, static functions of one name, and with --inline "
		"the copies in functions that inline it. Functions of an interpreted program have "
		"lines only.\n\n"
		"Lines come from debug information (-g), their text from the source file, and "
		"instructions from the program's own file, if it is the one that was sampled. "
		"capstone disassembles (Debian: libcapstone4 or libcapstone5); without it, lines "
		"alone are shown. Source files are those that debug information names, by any "
		"path; their text is not shown for another user's spool.\n\n"
		"Addresses are as exact as the counter: a line for each tells what they mean. "
		"With task-clock, a slow instruction shows at the one after it.",
	.options = { annotate_options, manual_reading },
	.least = 2,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_PROFILE,
	.status = "0; 1 if the function has no samples or a file cannot be read; 2 for wrong "
		  "usage.",
	.examples = {
		{ "flametrap annotate compute app.spool", "The hot parts of compute" },
		{ "flametrap annotate --all --intel compute app.spool",
		  "All of it, in Intel's syntax" },
		{ "flametrap annotate --source compute app.spool", "Its source lines" },
		{ "flametrap annotate --inline compute app.spool",
		  "The functions that inline compute, too" },
		{ "flametrap annotate --json compute app.spool", "The same for a program" },
	},
};

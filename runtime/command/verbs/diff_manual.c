/*
 * The manual of diff.
 */
#include "runtime/command/options/manual.h"

static const struct manual_option diff_options[] = {
	{ "before", OPTION_BEFORE, "FILE", MANUAL_PROFILE,
	  "this file and those that follow are runs before the change" },
	{ "after", OPTION_AFTER, "FILE", MANUAL_PROFILE, "likewise runs after it" },
	{ "pairs", OPTION_PAIRS, NULL, NULL,
	  "the first run before and the first one after were made side by side, and so on" },
	{ "before-from", OPTION_BEFORE_FROM, "TIME", NULL,
	  "like --from, for the side before; with this or the next, --from, --to and --last apply "
	  "to the side after alone, and without both to each" },
	{ "before-to", OPTION_BEFORE_TO, "TIME", NULL, "like --to, for the side before" },
	{ "rows", 'n', "N", NULL, "rows in each table; 0 is all (default 20)" },
	{ 0 },
};

const struct manual manual_diff = {
	.name = "diff",
	.synopsis = { "diff [OPTION...] BEFORE AFTER",
		      "diff [OPTION...] --before FILE... --after FILE..." },
	.summary = "show what changed between two profiles, or two sides of runs",
	.text = "Compares profiles: spools, folded files or PIDs. Tables tell how much the whole "
		"changed, and which functions changed for sure, themselves or with all that they "
		"call: their values before and after, the change, and its interval. Interrupts, "
		"preemption and sampling itself have a row of their own and take no part. Where "
		"the command, a library or a copy that the compiler made of a function has "
		"another name in each, the two are compared as one. A flame graph shows what grew "
		"in red, and what shrank in blue.\n\n"
		"Runs of the same program differ, so take several a side: --before and --after. A "
		"folded file is a run; so are the spools that one run left. With one run a side, "
		"only chance in sampling is considered, and a mark says less. flametrap ab makes "
		"the runs, in turns. Where runs differ much in all functions alike, these are "
		"compared at one pace, and a line says so.\n\n"
		"Of spools their events are compared (nanoseconds, page faults), unless --weight "
		"says samples, and wall time, CPU time and counts too. A folded file does not say "
		"what its numbers count: they are taken for samples unless --unit names something "
		"else (--unit ns for off-cpu), and then only the variation between runs counts.\n\n"
		"The picture of x.folded is x.diff.svg unless -o names another; -o x.html writes a "
		"page with all of the answer. With --json and "
		"--markdown there is one only with -o. The tables go to standard output, unless "
		"the picture does.",
	.options = { diff_options, manual_comparing, manual_picture, manual_reading },
	.least = 2,
	.most = 2,
	.operands = MANUAL_PROFILE,
	.in_order = true,
	.status = "0; 1 if a limit of --fail-above is exceeded; 2 for wrong usage, or if a file "
		  "cannot be read or written, as of diff(1).",
	.examples = {
		{ "flametrap diff before.folded after.folded", "The tables, and after.diff.svg" },
		{ "flametrap diff --rows 5 --all before.folded after.folded",
		  "The five largest changes, sure or not" },
		{ "flametrap diff -o - before.folded after.folded",
		  "Only the picture, on standard output" },
		{ "flametrap diff --tidy --markdown app.spool app.spool",
		  "Spools, as Markdown for a pull request" },
		{ "flametrap diff --fail-above 3% --before before.folded --after after.folded",
		  "Exit status 1 if the program surely takes 3 % more" },
	},
};

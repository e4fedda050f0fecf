/*
 * The options of comparisons, and the verb that runs two commands to compare them.
 */
#include "runtime/command/options/manual_tables.h"

const struct manual_option manual_comparing[] = {
	{ "confidence", OPTION_CONFIDENCE, "PERCENT", NULL,
	  "how sure the answer has to be: from 50 to less than 100 (default 99)" },
	{ "rename", OPTION_RENAME, "OLD=NEW", NULL,
	  "function OLD of the first is NEW of the second; may be given several times" },
	{ "fail-above", OPTION_FAIL_ABOVE, "LIMIT", NULL,
	  "exit status 1 if the whole surely grew by more than LIMIT percent (3%), or something by "
	  "its name: a measure, a counter, or a function with its callees (compute=5%); may be "
	  "given several times" },
	{ "json", OPTION_JSON, NULL, NULL, "print JSON, for programs" },
	{ "markdown", OPTION_MARKDOWN, NULL, NULL, "print Markdown, for a pull request" },
	{ "all", OPTION_ALL, NULL, NULL, "also rows whose change is not sure" },
	{ 0 },
};

static const struct manual_option ab_options[] = {
	{ "runs", 'n', "RUNS", NULL, "run each command at most so often, from 2 on (default 10)" },
	{ "warmup", OPTION_WARMUP, "RUNS", NULL,
	  "runs of each command before those that count (default 1)" },
	{ "prepare", OPTION_PREPARE, "COMMAND", NULL, "run this by sh -c before each run" },
	{ "input", OPTION_INPUT, "FILE", MANUAL_FILE,
	  "standard input of each run, from the beginning; without it there is none" },
	{ "show-output", OPTION_SHOW_OUTPUT, NULL, NULL,
	  "keep the standard output of the runs, which otherwise goes to /dev/null" },
	{ "ignore-failure", OPTION_IGNORE_FAILURE, NULL, NULL,
	  "compare runs whose exit status is not 0 like others" },
	{ "no-early-stop", OPTION_NO_EARLY_STOP, NULL, NULL,
	  "make all runs, also when the answer is sure before" },
	{ "separator", OPTION_SEPARATOR, "WORD", NULL,
	  "the word between the commands, for a first command that has the word -- itself" },
	{ "save", OPTION_SAVE, "DIRECTORY", MANUAL_DIRECTORY,
	  "keep the spools of all runs, for flametrap diff" },
	{ "output", 'o', "FILE", MANUAL_FILE,
	  "where to draw the difference: a flame graph (.svg) or a page with all of the answer "
	  "(.html) "
	  "(default ab.diff.svg)" },
	{ "no-picture", OPTION_NO_PICTURE, NULL, NULL, "draw nothing" },
	{ "rows", OPTION_ROWS, "N", NULL, "rows in each table; 0 is all (default 20)" },
	{ 0 },
};

const struct manual manual_ab = {
	.name = "ab",
	.synopsis = { "ab [OPTION...] [--] COMMAND [ARGUMENT...] -- COMMAND [ARGUMENT...]" },
	.summary = "run two commands in turns and show what differs",
	.text = "Runs two commands in turns (A B, B A, A B, ...), samples both alike, and prints "
		"how much wall time, CPU time and the chosen counters changed from the first to "
		"the second, and in which functions. Each change has an interval that holds the "
		"true one with the confidence asked for, and is marked where it is sure. The "
		"runs stop early once the answer is sure; all looks at them together keep the "
		"confidence. Where runs differ much in all functions alike, because the machine "
		"has other users, functions are compared at one pace, and a line says so.\n\n"
		"Without --fail-above the answer is sure once wall time, CPU time and counters "
		"have each surely changed, or surely by less than 1 %. With it, once each limit "
		"is surely kept or surely exceeded.\n\n"
		"Options end at the first command or at --, and the next -- ends that command. "
		"The two may be the same with other settings: -- env X=1 ./app -- env X=2 ./app. "
		"The settings are those of flametrap run, with " MANUAL_AB_FREQUENCY
		" samples per second unless -F "
		"or -c says otherwise.",
	.options = { ab_options, manual_comparing },
	.settings = true,
	.without = "output format weight",
	.frequency = MANUAL_AB_FREQUENCY,
	.least = 3,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_COMMAND,
	.status = "0; 1 if something surely grew by more than --fail-above says; 125 if there is no "
		  "answer: wrong usage, a command that cannot be started, or a run that failed.",
	.examples = {
		{ "flametrap ab -- ./old -- ./new", "Two builds of a program" },
		{ "flametrap ab -n 30 --input data -- ./old -x -- ./new -x",
		  "Up to 30 runs of each, with the same input" },
		{ "flametrap ab --fail-above 3% --fail-above compute=10% -- ./old -- ./new",
		  "Exit status 1 if it is surely more than 3 % slower, or compute() more than 10 %" },
		{ "flametrap ab -e task-clock,off-cpu,page-faults -- ./old -- ./new",
		  "Explain waiting and page faults too" },
		{ "flametrap ab --markdown --no-picture -- ./old -- ./new >>comment",
		  "A table for a pull request" },
	},
};

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

/*
 * The verbs that read profiles and print them, and the options that all readers take.
 */
#include "runtime/command/options/manual_tables.h"

const struct manual_option manual_reading[] = {
	{ "counter", OPTION_COUNTER, "NAME", NULL,
	  "one counter of the spools; without it report, graph and diff show all, fold the first" },
	{ "weight", OPTION_WEIGHT, "KIND", "auto samples events",
	  "samples, events (those that the samples stand for), or auto: samples, but nanoseconds "
	  "of off-cpu; the default is auto, of diff events" },
	{ "threads", OPTION_THREADS, "HOW", "merge name id",
	  "a frame for each thread, by name or id, or for each value of a label (label:KEY); "
	  "the default, merge, adds none" },
	{ "by", OPTION_BY, "WHAT", "function module thread process file line",
	  "what frames, and the rows of tables, are: function (the default), module, thread, "
	  "process (the command with its pid), file, line, or the value of a label (label:KEY); "
	  "all but function and process need spools" },
	{ "focus", OPTION_FOCUS, "REGEX", NULL,
	  "only stacks with a frame that matches this POSIX extended regular expression; the "
	  "command is a frame too; of several any may match" },
	{ "ignore", OPTION_IGNORE, "REGEX", NULL, "only stacks without a frame that matches" },
	{ "hide", OPTION_HIDE, "REGEX", NULL,
	  "without the frames that match: what was in them belongs to their callers, in tables, "
	  "folded stacks and flame graphs ('_\\[k\\]$': the kernel's)" },
	{ "label", OPTION_LABEL, "KEY=VALUE", NULL,
	  "only samples of threads that had this label, set by flametrap_label(); spools only" },
	{ "from", OPTION_FROM, "TIME", NULL,
	  "only what happened from that time on, and of time off the processor the part behind it: "
	  "seconds or a duration since the start (1.5, 200ms), before the end (-5s), or local time "
	  "(14:02:33, 2026-11-23T14:02:33, or with Z or +01:00 behind it); spools only, like --to "
	  "and --last" },
	{ "to", OPTION_TO, "TIME", NULL, "only what happened before that time" },
	{ "last", OPTION_LAST, "DURATION", NULL,
	  "only the last part, up to now while a process runs; the same as --from -DURATION" },
	{ "interp", OPTION_INTERP, "HOW", "merge only no",
	  "functions of interpreted programs, name_[p]: merge shows them in the native stacks, "
	  "without the interpreter's own calls between them, only leaves native functions out, and "
	  "no shows native functions alone; the default is what the run was asked for; only and no "
	  "also leave frames of a folded file out, by the suffixes of their names" },
	{ "inline", OPTION_INLINE, NULL, NULL,
	  "frames of inlined functions, name_[i]; spools only, like the next three" },
	{ "lines", OPTION_LINES, NULL, NULL, "file and line in names, name:file:line" },
	{ "no-demangle", OPTION_NO_DEMANGLE, NULL, NULL,
	  "names of C++, Rust and D functions as the linker knows them" },
	{ "tidy", OPTION_TIDY, NULL, NULL,
	  "copies and parts that the compiler made of a function (.isra.0, .constprop.0, .part.1) "
	  "under its own name" },
	{ "tree", OPTION_TREE, NULL, NULL, "with a PID, also all processes that it started" },
	{ "merge", OPTION_MERGE, NULL, NULL,
	  "read spools of different commands, or of several runs of one, as one profile, which is "
	  "refused without it" },
	{ 0 },
};

static const struct manual_option fold_options[] = {
	{ "format", OPTION_FORMAT, "LIST",
	  "folded svg html pprof speedscope gperftools firefox perfetto perfscript",
	  "what to write, separated by commas (default folded)" },
	{ "output", 'o', "STEM", MANUAL_FILE,
	  "write STEM.folded, STEM.pb.gz and so on instead of one format to standard output" },
	{ "sort", OPTION_SORT, "BY", "self total",
	  "folded stacks with the largest values first instead of in the order of names: siblings "
	  "by self (what each took itself) or total (with all that it called)" },
	{ 0 },
};

const struct manual manual_fold = {
	.name = "fold",
	.synopsis = { "fold [OPTION...] FILE|PID..." },
	.summary = "merge profiles and convert them to another format",
	.text = "Reads spools and folded files, merges them, and writes folded stacks to standard "
		"output, or the format that --format names. With -o each format of the list goes "
		"to a file of its own.\n\n"
		"A folded file holds neither addresses nor counters, so options that need them "
		"have no effect on it: flametrap --format folded,svg,spool keeps the spool of a run.",
	.options = { fold_options, manual_reading },
	.least = 1,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_PROFILE,
	.status = MANUAL_STATUS_READ,
	.examples = {
		{ "flametrap fold before.folded after.folded", "Merge two profiles" },
		{ "flametrap fold --lines app.spool", "Folded stacks with source lines" },
		{ "flametrap fold --format pprof -o app app.spool", "app.pb.gz, for go tool pprof" },
		{ "flametrap fold --format speedscope,svg -o app app.spool",
		  "app.speedscope.json and app.svg" },
		{ "flametrap fold --weight events --threads name app.spool",
		  "Nanoseconds or events instead of samples, by thread" },
	},
};

static const struct manual_option report_options[] = {
	{ "function", OPTION_FUNCTION, "NAME", NULL,
	  "callers and callees of one function, named as in annotate, or of all that a pattern "
	  "such "
	  "as 'str*' matches" },
	{ "rows", 'n', "N", NULL, "rows in each table; 0 is all (default 20)" },
	{ "sort", OPTION_SORT, "BY", "self total",
	  "order of the rows: self, the default (what each took itself), or total (with all "
	  "that it called)" },
	{ "csv", OPTION_CSV, NULL, NULL, "comma-separated values, for programs" },
	{ "json", OPTION_JSON, NULL, NULL, "the same as JSON" },
	{ 0 },
};

const struct manual manual_report = {
	.name = "report",
	.synopsis = { "report [OPTION...] FILE|PID..." },
	.summary = "print the busiest functions, losses and overhead as tables",
	.text = "Reads spools and folded files, merges them, and prints who ran, what was lost, "
		"what profiling cost, and the functions with the largest share of each counter. Of "
		"a PID that flametrap list shows it reads the samples so far.\n\n"
		"Counters that were counted together also give ratios by function: instructions "
		"per cycle, cache misses per 1000 instructions, page faults per millisecond.",
	.options = { report_options, manual_reading },
	.least = 1,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_PROFILE,
	.status = MANUAL_STATUS_READ,
	.examples = {
		{ "flametrap report app.spool", "All tables" },
		{ "flametrap report --focus parse --ignore '_\\[k\\]$' before.folded",
		  "Only stacks with parse in them, outside the kernel" },
		{ "flametrap report --by module app.spool", "Which library the time is spent in" },
		{ "flametrap report --function compute app.spool", "Who calls compute, and what it calls" },
		{ "flametrap report --json app.spool", "The same numbers for a program" },
	},
};

/*
 * The verbs for processes that run or have died.
 */
#include "runtime/command/options/manual_tables.h"

const struct manual manual_start = {
	.name = "start",
	.synopsis = { "start PID|SPOOL..." },
	.summary = "begin sampling in processes that run",
	.text = "Opens the window of samples in the process of each PID and in all that it "
		"started, or in the process that writes a SPOOL. The process must have been "
		"started under flametrap, or with the library preloaded.\n\n"
		"With --start paused (or FLAMETRAP_START=paused) nothing is kept before this; --stop "
		"30s then ends the window by itself. The samples of several windows add up in one "
		"profile.",
	.least = 1,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_PROFILE,
	.status = "0; 1 if a process cannot be reached; 2 for wrong usage.",
	.examples = {
		{ "flametrap start 1234", "The process 1234 and its children" },
		{ "flametrap start 1234 1235", "Two processes" },
		{ "flametrap list && flametrap start 1234", "Look for the process first" },
		{ "flametrap start 1234 && sleep 1 && flametrap stop 1234", "One second" },
		{ "flametrap start --help", "Print the help text" },
	},
};

const struct manual manual_stop = {
	.name = "stop",
	.synopsis = { "stop PID|SPOOL..." },
	.summary = "end sampling in processes that run",
	.text = "Closes the window of samples in the process of each PID and in all that it "
		"started, or in the process that writes a SPOOL. The process runs on; counters "
		"keep overflowing, and the samples are dropped. flametrap start opens the window "
		"again.",
	.least = 1,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_PROFILE,
	.status = "0; 1 if a process cannot be reached; 2 for wrong usage.",
	.examples = {
		{ "flametrap stop 1234", "The process 1234 and its children" },
		{ "flametrap stop 1234 1235", "Two processes" },
		{ "flametrap list && flametrap stop 1234", "Look for the process first" },
		{ "flametrap stop 1234 && flametrap report 1234", "Stop and look at what was sampled" },
		{ "flametrap stop --help", "Print the help text" },
	},
};

static const struct manual_option list_options[] = {
	{ "json", OPTION_JSON, NULL, NULL, "the same as JSON, for programs" },
	{ 0 },
};

const struct manual manual_list = {
	.name = "list",
	.synopsis = { "list [--json]" },
	.summary = "show the processes that are profiled, or were and left their samples",
	.text = "Lists the processes of this user that have a spool in $FLAMETRAP_SPOOL, /dev/shm or "
		"the current directory, or in the directory of a flametrap command that runs or was "
		"killed; for root those of all users. Each has its pid, its command, the time since "
		"it started, the samples so far, and its state: running, finished (its profile is "
		"written when the command that runs it, or its parent, ends), or killed (flametrap recover writes "
		"its profile).\n\n"
		"report, graph, fold and diff read the samples of a PID without disturbing the "
		"process; start and stop begin and end its sampling.",
	.options = { list_options },
	.status = "0; 1 if the processes cannot be found; 2 for wrong usage.",
	.examples = {
		{ "flametrap list", "Your profiled processes" },
		{ "flametrap list | grep running", "Only those that run" },
		{ "flametrap list --json", "The same as JSON" },
		{ "flametrap list && flametrap report 1234", "Look for a process and at its samples" },
		{ "flametrap list --json >processes.json", "For a program, into a file" },
	},
};

static const struct manual_option recover_options[] = {
	{ "list", OPTION_LIST, NULL, NULL, "only list the spools" },
	{ 0 },
};

const struct manual manual_recover = {
	.name = "recover",
	.synopsis = { "recover [--list] [DIRECTORY]" },
	.summary = "write the profiles of processes that were killed",
	.text = "Lists your own spools in DIRECTORY, or else in $FLAMETRAP_SPOOL, /dev/shm and the "
		"current directory; writes the profiles of processes that have died, and removes "
		"their spools. Spools of processes that run are left alone.",
	.options = { recover_options },
	.most = 1,
	.operands = MANUAL_DIRECTORY,
	.status = "0; 1 if a spool cannot be read or a profile cannot be written; 2 for wrong usage.",
	.examples = {
		{ "flametrap recover --list", "What is there" },
		{ "flametrap recover", "Write every profile that is left" },
		{ "flametrap recover .", "Only of spools in the current directory" },
		{ "FLAMETRAP_SPOOL=spools flametrap recover", "Of spools in a directory of their own" },
		{ "flametrap recover --list /dev/shm", "What lies in /dev/shm" },
	},
};

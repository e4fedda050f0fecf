/*
 * The command itself, run and watch.
 */
#include "runtime/command/options/manual_tables.h"

#define STATUS_RUN                                                                              \
	"That of COMMAND; 128+N if signal N killed it; 125 if flametrap failed before COMMAND " \
	"started or, with --strict, if COMMAND ran unprofiled; 126 if COMMAND cannot be "       \
	"executed; "                                                                            \
	"127 if it was not found."

static const struct manual_option version[] = {
	{ "version", 'V', NULL, NULL, "print the version" },
	{ 0 },
};

const struct manual manual_flametrap = {
	.name = "",
	.synopsis = { "[OPTION...] [--] COMMAND [ARGUMENT...]", "VERB [OPTION...] [ARGUMENT...]" },
	.summary = "sampling profiler that works inside the program it measures",
	.text = "flametrap runs COMMAND with a small library preloaded, samples its stacks, and "
		"writes a flame graph and folded stacks when it ends. It needs no root, no "
		"daemon, no rebuild of the program and no frame pointers, and changes nothing "
		"in what the program does.\n\n"
		"The library also works without the command: with LD_PRELOAD set to "
		"libflametrap.so a program leaves its profile where it was started.",
	.options = { version },
	.settings = true,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_COMMAND,
	.status = STATUS_RUN " The other verbs end with 0, 1 for a failure, 2 for wrong usage.",
	.examples = {
		{ "flametrap ./app", "Profile a program: flametrap.app.PID.html, .svg and .folded" },
		{ "flametrap --wall ./app", "Show also where it waits" },
		{ "flametrap -o profile make -j8", "A build with all its children, in one profile" },
		{ "flametrap report before.folded", "The busiest functions as a table" },
		{ "flametrap doctor", "What can be measured here, and what is in the way" },
	},
};

const struct manual manual_run = {
	.name = "run",
	.synopsis = { "[run] [OPTION...] [--] COMMAND [ARGUMENT...]" },
	.summary = "profile a command and its children",
	.text = "Runs COMMAND, samples it and all that it starts, and writes a page for a "
		"browser, a flame graph and folded stacks in the current directory when it ends. "
		"Standard input and output are those of COMMAND; a summary goes to standard "
		"error.\n\n"
		"Options end at COMMAND. Each option has an environment variable with the same "
		"meaning; flametrap help settings lists them with the values they accept. The "
		"word run may be left out, unless COMMAND has the name of a verb.",
	.options = { version },
	.settings = true,
	.least = 1,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_COMMAND,
	.status = STATUS_RUN,
	.examples = {
		{ "flametrap run ./app", "Processor time, 999 samples per second and thread" },
		{ "flametrap run -F 10000 -o fine ./app", "Ten times finer, into fine.html and so on" },
		{ "flametrap run --off-cpu ./app", "The time off the processor too" },
		{ "flametrap run -e page-faults -c 1 ./app", "Every page fault, with its stack" },
		{ "flametrap run --format pprof,spool -o kept ./app",
		  "A pprof profile, and the samples for later questions" },
	},
};

const struct manual manual_watch = {
	.name = "watch",
	.synopsis = { "watch [OPTION...] PLACE[,PLACE...] [--] COMMAND [ARGUMENT...]" },
	.summary = "profile who reads or writes a variable",
	.text = "Takes one sample for each access to a place in memory, in any thread, with the "
		"stack of the instruction that made it.\n\n"
		"PLACE is SYMBOL or 0xADDRESS, with +OFFSET into it, /LENGTH (1, 2, 4 or 8 "
		"bytes; 4 unless given), and :w (writes), :rw (reads and writes, which is also the "
		"default) or :x (execution). A place is a multiple of its length. A processor "
		"watches up to 4 places at a time.\n\n"
		"Symbols are those of the program and its libraries, including libraries that "
		"are loaded later: these are watched from their constructors on. The options are "
		"those of flametrap run, except -e.",
	.options = { version },
	.settings = true,
	.least = 2,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_COMMAND,
	.before = 1,
	.status = STATUS_RUN " 2 if PLACE cannot be watched.",
	.examples = {
		{ "flametrap watch balance:w ./app", "Every write of a global variable" },
		{ "flametrap watch account+16/8:w -- ./app", "A field of 8 bytes at offset 16" },
		{ "flametrap watch balance:w,account/8:rw ./app", "Two places at once" },
		{ "flametrap watch --lines balance:w ./app", "With the line of each access" },
		{ "flametrap watch -o writers balance:w ./app", "Into writers.html and so on" },
	},
};

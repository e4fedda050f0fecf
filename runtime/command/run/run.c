/* flametrap run.  All refusals happen before the program starts, with status 125. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/settings/settings.h"
#include "runtime/command/base/paths.h"
#include "runtime/collect/run_dir.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/options/arguments.h"
#include "runtime/command/run/launch.h"
#include "runtime/command/run/collect.h"
#include "runtime/collect/spools.h"
#include "runtime/output/output.h"
#include "runtime/profile/base/now.h"

#define STATUS_REFUSED	 125
#define STATUS_NOT_RUN	 126
#define STATUS_NOT_FOUND 127
#define LINE_BYTES	 1024

struct run {
	struct launch launch;
	uint64_t start_ns; /* since 1970 */
};

static const struct launch_default defaults[] = {
	{ offsetof(struct settings, formats), "folded,svg,html" },
	{ 0 },
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static struct collect collection(const struct run *run, const struct child *child)
{
	return (struct collect){
		.launch = &run->launch,
		.start_ns = run->start_ns,
		.executable = base_name(program_started(run->launch.command)),
		.child = child,
	};
}

static int check_formats(const struct settings *settings, char *line, size_t bytes)
{
	char names[128];

	if (settings->timeline || !(settings->formats & format_set(FORMAT_TIMED)))
		return 0;
	format_names(format_set(FORMAT_TIMED), names, sizeof(names));
	return refuse(line, bytes, -EINVAL,
		      "--format %s need the time of each sample, which --timeline no leaves out",
		      names);
}

/* All steps that can fail before the program starts; makes the spool directory last. */
static int prepare(struct run *run, char *line, size_t bytes)
{
	struct child nobody = { .pid = (pid_t)getpid() };
	struct collect collect = collection(run, &nobody);
	const struct settings *settings = &run->launch.settings;
	char stem[PATH_MAX];
	int err = check_formats(settings, line, bytes);

	if (!err)
		err = launch_find(&run->launch, line, bytes);
	if (!err)
		err = collect_stem(&collect, stem, sizeof(stem), line, bytes);
	if (!err)
		err = paths_output(stem, settings->formats, line, bytes);
	if (!err)
		err = launch_check(&run->launch, line, bytes);
	if (err)
		return err;
	/* the descriptor holds the lock until we exit */
	err = launch_spool(&run->launch, stem, line, bytes);
	return err < 0 ? err : 0;
}

static int exec_status(const char *command, int err)
{
	status_line_error(command, err);
	return err == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN;
}

/* FLAMETRAP=off: the program replaces this process. */
static int run_alone(const struct launch *launch)
{
	execvp(launch->command[0], launch->command);
	return exec_status(launch->command[0], -errno);
}

static void say_waiting(const struct survivors *survivors)
{
	if (survivors->pid)
		status_line("waiting for %s (%d), which goes on", survivors->name,
			    (int)survivors->pid);
	else
		status_line("waiting for a process that goes on");
}

static int run_profiled(struct run *run)
{
	struct launch *launch = &run->launch;
	const struct child_program program = {
		.argv = launch->command,
		.environment = launch->environment.entries,
		.input = -1,
		.output = -1,
	};
	struct child_signals signals;
	struct child child;
	struct collect collect;
	bool profiled, forked;
	int err;

	child_hold(&signals);
	err = child_start(&child, &signals, &program, &forked);
	if (err) {
		child_release(&signals);
		run_dir_remove(launch->spool);
		if (forked)
			return exec_status(launch->command[0], err);
		status_line_error("cannot start a process", err);
		return STATUS_REFUSED;
	}
	err = child_wait(&child);
	if (!err && launch->settings.wait)
		spools_wait(launch->spool, child_ending,
			    launch->settings.log == SETTINGS_LOG_QUIET ? NULL : say_waiting);
	child_release(&signals);
	if (err)
		return fail(STATUS_REFUSED, "cannot wait for %s: %s", launch->command[0],
			    strerror(-err));
	collect = collection(run, &child);
	profiled = collect_all(&collect);
	if (!profiled && launch->settings.strict && !launch->settings.follow_glob[0])
		return fail(STATUS_REFUSED, "%s was not profiled (FLAMETRAP_STRICT)",
			    launch->command[0]);
	return child_exit_status(&child);
}

static void say_table(const char *line)
{
	fprintf(stderr, "%s\n", line);
}

static int run_command(struct run *run)
{
	struct launch *launch = &run->launch;
	char line[LINE_BYTES];

	if (launch_settings(launch, defaults, status_line_text, line, sizeof(line)))
		goto refused;
	if (launch->settings.mode == SETTINGS_HELP)
		table_settings(say_table);
	if (launch->settings.mode != SETTINGS_ON)
		return run_alone(launch);
	run->start_ns = now_realtime_ns();
	if (prepare(run, line, sizeof(line)))
		goto refused;
	return run_profiled(run);

refused:
	return fail(STATUS_REFUSED, "%s", line);
}

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
	.options = { manual_asked },
	.settings = true,
	.own_help = true,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_COMMAND,
	.status = MANUAL_STATUS_RUN " The other verbs end with 0, 1 for a failure, 2 for wrong usage.",
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
	.text = "Runs COMMAND, samples it and all that it starts, and writes a page for a browser, "
		"a flame graph and folded stacks in the current directory when it ends. Standard "
		"input and output are those of COMMAND; a summary goes to standard error.\n\n"
		"Options end at COMMAND. Each option has an environment variable with the same "
		"meaning; flametrap help settings lists them with the values they accept. The "
		"word run may be left out, unless COMMAND has the name of a verb.",
	.options = { manual_asked },
	.settings = true,
	.own_help = true,
	.least = 1,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_COMMAND,
	.status = MANUAL_STATUS_RUN,
	.examples = {
		{ "flametrap run ./app", "Processor time, 999 samples per second and thread" },
		{ "flametrap run -F 10000 -o fine ./app", "Ten times finer, into fine.html and so on" },
		{ "flametrap run --off-cpu ./app", "The time off the processor too" },
		{ "flametrap run -e page-faults -c 1 ./app", "Every page fault, with its stack" },
		{ "flametrap run --format pprof,spool -o kept ./app",
		  "A pprof profile, and the samples for later questions" },
	},
};

int verb_run(int argc, char **argv)
{
	struct run *run = calloc(1, sizeof(*run));
	int command, status = STATUS_REFUSED;

	if (!run)
		return fail(STATUS_REFUSED, "no memory");
	command = arguments_read_run(&run->launch.options, &manual_run, argc, argv, &status);
	if (command == argc) {
		status_line("no command to run; see flametrap help");
	} else if (command > 0) {
		run->launch.command = argv + command;
		status = run_command(run);
	}
	environment_free(&run->launch.environment);
	free(run);
	return status;
}

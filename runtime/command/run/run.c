/*
 * flametrap run.  All refusals happen before the program starts, with status 125.  The program's
 * environment is built first and then parsed by the same code that parses it in the library, so
 * that both accept and refuse the same.
 */
#include "runtime/command/run/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config/settings/env.h"
#include "config/settings/settings.h"
#include "config/settings/settings_env.h"
#include "config/settings/table.h"
#include "runtime/command/base/paths.h"
#include "runtime/command/base/program.h"
#include "runtime/command/base/run_dir.h"
#include "runtime/command/base/say.h"
#include "runtime/command/inspect/cpu_names.h"
#include "runtime/command/options/options.h"
#include "runtime/command/run/child.h"
#include "runtime/command/run/collect.h"
#include "runtime/command/run/environment.h"
#include "runtime/command/run/event_check.h"

#define STATUS_REFUSED	 125
#define STATUS_NOT_RUN	 126
#define STATUS_NOT_FOUND 127
#define STATUS_SIGNAL	 128
#define DEFAULT_FORMAT	 "folded,svg"
#define LINE_BYTES	 1024

struct run {
	char **command; /* COMMAND [ARG…], NULL-terminated */
	struct options options;
	struct settings settings;
	struct environment environment; /* for the program */
	char file[PATH_MAX];		/* of COMMAND; empty if not found */
	char spool[PATH_MAX];		/* our private directory */
	uint64_t start_seconds;
};

static int apply_options(struct run *run)
{
	int err = 0;

	/* one of the two on the command line overrides the other one in the environment */
	if (options_given(&run->options, "FLAMETRAP_PERIOD"))
		environment_unset(&run->environment, "FLAMETRAP_FREQUENCY");
	if (options_given(&run->options, "FLAMETRAP_FREQUENCY"))
		environment_unset(&run->environment, "FLAMETRAP_PERIOD");
	environment_unset(&run->environment, "FLAMETRAP_COLLECT");
	environment_unset(&run->environment, "FLAMETRAP_ENCODED");
	if (!env_get(run->environment.entries, "FLAMETRAP_FORMAT"))
		err = environment_set(&run->environment, "FLAMETRAP_FORMAT", DEFAULT_FORMAT);
	for (size_t row = 0; !err && row < settings_count; row++)
		if (run->options.value[row])
			err = environment_set(&run->environment, settings_table[row].variable,
					      run->options.value[row]);
	return err;
}

static int read_settings(struct run *run, char *line, size_t bytes)
{
	int err = environment_copy(&run->environment, environ);

	if (!err)
		err = apply_options(run);
	if (!err) {
		settings_defaults(&run->settings);
		err = settings_env_read(&run->settings, run->environment.entries, say_line, line,
					bytes);
		if (err)
			return err;
	}
	if (!err && run->settings.runtimes)
		err = environment_add_runtimes(&run->environment);
	if (!err && cpu_names_used()[0])
		err = environment_set(&run->environment, "FLAMETRAP_ENCODED", cpu_names_used());
	if (err)
		snprintf(line, bytes, "no memory");
	return err;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static struct collect collection(const struct run *run, const struct child *child)
{
	return (struct collect){
		.settings = &run->settings,
		.directory = run->spool,
		.executable = base_name(run->command[0]),
		.command = run->file,
		.start_seconds = run->start_seconds,
		.pid = (unsigned)child->pid,
		.status = child->status,
		.cpu_ns = child->cpu_ns,
	};
}

/* All steps that can fail before the program starts; makes the spool directory last. */
static int prepare(struct run *run, char *line, size_t bytes)
{
	struct child nobody = { .pid = (pid_t)getpid() };
	struct collect collect = collection(run, &nobody);
	char library[PATH_MAX], stem[PATH_MAX], reason[256];
	int err;

	err = paths_library(library, sizeof(library), line, bytes);
	if (!err)
		err = collect_stem(&collect, stem, sizeof(stem), line, bytes);
	if (!err)
		err = paths_output(stem, run->settings.formats, line, bytes);
	if (!err)
		err = event_check(&run->settings, line, bytes);
	if (err)
		return err;
	if (run->settings.strict && program_refuses(run->file, reason, sizeof(reason))) {
		snprintf(line, bytes, "%.300s cannot be profiled: %s (FLAMETRAP_STRICT)",
			 run->command[0], reason);
		return -ENOTSUP;
	}
	/* the descriptor holds the lock until we exit */
	err = paths_spool(run->settings.spool, stem, run->spool, sizeof(run->spool), line, bytes);
	if (err < 0)
		return err;
	err = program_is_disturbed(run->file)
		      ? 0
		      : environment_join(&run->environment, "LD_PRELOAD", library, ":", NULL);
	if (!err)
		err = environment_set(&run->environment, "FLAMETRAP_SPOOL", run->spool);
	if (!err)
		err = environment_set(&run->environment, "FLAMETRAP_COLLECT", "1");
	if (err) {
		run_dir_remove(run->spool);
		snprintf(line, bytes, "no memory");
	}
	return err;
}

static int exec_status(const char *command, int err)
{
	say_error(command, err);
	return err == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN;
}

/* FLAMETRAP=off: the program replaces this process. */
static int run_alone(const struct run *run)
{
	execvp(run->command[0], run->command);
	return exec_status(run->command[0], -errno);
}

static int status_of(int status)
{
	return WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_profiled(struct run *run)
{
	struct child child;
	struct collect collect;
	bool profiled;
	int forked;
	int err = child_start(&child, run->command, run->environment.entries, &forked);

	if (err) {
		run_dir_remove(run->spool);
		if (forked)
			return exec_status(run->command[0], err);
		say_error("cannot start a process", err);
		return STATUS_REFUSED;
	}
	err = child_wait(&child);
	child_end(&child);
	if (err) {
		say("cannot wait for %s: %s", run->command[0], strerror(-err));
		return STATUS_REFUSED;
	}
	collect = collection(run, &child);
	profiled = collect_all(&collect);
	if (!profiled && run->settings.strict && !run->settings.follow_glob[0]) {
		say("%s was not profiled (FLAMETRAP_STRICT)", run->command[0]);
		return STATUS_REFUSED;
	}
	return status_of(child.status);
}

static void say_table(const char *line)
{
	fprintf(stderr, "%s\n", line);
}

static int run_command(struct run *run)
{
	char line[LINE_BYTES];

	if (read_settings(run, line, sizeof(line))) {
		options_name(&run->options, line, sizeof(line));
		goto refused;
	}
	if (run->settings.mode == SETTINGS_HELP)
		table_settings(say_table);
	if (run->settings.mode != SETTINGS_ON)
		return run_alone(run);
	if (paths_command(run->command[0], run->file, sizeof(run->file)))
		run->file[0] = '\0';
	run->start_seconds = (uint64_t)time(NULL);
	if (prepare(run, line, sizeof(line)))
		goto refused;
	return run_profiled(run);

refused:
	say_line(line);
	return STATUS_REFUSED;
}

int run_verb(int argc, char **argv)
{
	struct run *run = calloc(1, sizeof(*run));
	int status = STATUS_REFUSED;

	if (!run) {
		say("no memory");
		return STATUS_REFUSED;
	}
	if (options_read(&run->options, "run", argc, argv, STATUS_REFUSED, &status)) {
		run->command = argv + run->options.command;
		if (*run->command)
			status = run_command(run);
		else
			say("no command to run; see flametrap help");
	}
	environment_free(&run->environment);
	free(run);
	return status;
}

/*
 * flametrap run.  All refusals happen before the program starts, with status 125.  The program's
 * environment is built first and then parsed by the same code that parses it in the library, so
 * that both accept and refuse the same.
 *
 * While the program runs, signals are received with sigwaitinfo(), never by a handler, so nothing
 * races with fork or with the end of the child.  Signals from the terminal reach the program
 * directly, since it shares our process group.  Signals that a process sends only to us are
 * forwarded.
 */
#include "runtime/command/run/run.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config/settings/env.h"
#include "config/settings/settings.h"
#include "config/settings/table.h"
#include "runtime/command/base/paths.h"
#include "runtime/command/base/program.h"
#include "runtime/command/base/run_dir.h"
#include "runtime/command/base/say.h"
#include "runtime/command/inspect/cpu_names.h"
#include "runtime/command/options/options.h"
#include "runtime/command/run/collect.h"
#include "runtime/command/run/environment.h"
#include "runtime/command/run/event_check.h"

#define STATUS_REFUSED	 125
#define STATUS_NOT_RUN	 126
#define STATUS_NOT_FOUND 127
#define STATUS_SIGNAL	 128
#define DEFAULT_FORMAT	 "folded,svg,html"
#define LINE_BYTES	 1024

struct run {
	char **command; /* COMMAND [ARG…], NULL-terminated */
	struct options options;
	struct settings settings;
	struct environment environment; /* for the program */
	char file[PATH_MAX];		/* of COMMAND; empty if not found */
	char spool[PATH_MAX];		/* our private directory */
	uint64_t start_seconds;
	bool formats_asked; /* the user named them */
};

/* The program as our child.  It starts with the signal state that the command was started with. */
struct child {
	pid_t pid;
	int status;		   /* as wait4(2) returned it */
	uint64_t cpu_ns;	   /* of the child and of the children it waited for */
	sigset_t mask;		   /* our mask before child_start() */
	struct sigaction on_child; /* our action before child_start() */
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
	run->formats_asked = options_given(&run->options, "FLAMETRAP_FORMAT") ||
			     env_get(run->environment.entries, "FLAMETRAP_FORMAT");
	if (!run->formats_asked)
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
		err = environment_add_runtimes(&run->environment,
					       run->settings.interp != SETTINGS_INTERP_NO);
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
		.asked = run->formats_asked,
		.executable = base_name(run->command[0]),
		.command = run->file,
		.start_seconds = run->start_seconds,
		.pid = (unsigned)child->pid,
		.status = child->status,
		.cpu_ns = child->cpu_ns,
	};
}

static int check_formats(const struct settings *settings, char *line, size_t bytes)
{
	if (settings->timeline || !(settings->formats & SETTINGS_FORMATS_TIMED))
		return 0;
	snprintf(line, bytes,
		 "--format firefox, perfetto and perfscript need the time of each sample, which "
		 "--timeline no leaves out");
	return -EINVAL;
}

/* All steps that can fail before the program starts; makes the spool directory last. */
static int prepare(struct run *run, char *line, size_t bytes)
{
	struct child nobody = { .pid = (pid_t)getpid() };
	struct collect collect = collection(run, &nobody);
	char library[PATH_MAX], stem[PATH_MAX], reason[256];
	int err;

	err = check_formats(&run->settings, line, bytes);
	if (!err)
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

/* A process that sends one of these to the command means the program. */
static const int passed_on[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM };

static void watched(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++)
		sigaddset(set, passed_on[i]);
}

/* In the child: restore the state that the command found, then run the program; or set *err in the
 * parent's memory. */
static void become(const struct child *child, char *const *argv, char *const *environment,
		   volatile int *err)
{
	sigaction(SIGCHLD, &child->on_child, NULL);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
	execvpe(argv[0], argv, environment);
	*err = -errno;
	_exit(127);
}

/* Unblock signals, as before child_start(). */
static void child_end(struct child *child)
{
	struct timespec none = { 0 };
	sigset_t set;

	/* a ctrl-C that ended the program must not stop our next steps */
	watched(&set);
	while (sigtimedwait(&set, NULL, &none) > 0 || errno == EINTR)
		continue;
	sigaction(SIGCHLD, &child->on_child, NULL);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
}

/* Start argv[0], looked up in PATH, with this environment.  From here to child_end() signals are
 * blocked for us.  Returns 0; or -errno of execvpe(), or -EAGAIN and the like if no child was
 * created; then *forked is 0.  vfork(2): until exec the child shares our memory.  So it only makes
 * system calls, and stores there the error that kept it from running. */
static int child_start(struct child *child, char *const *argv, char *const *environment,
		       int *forked)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	volatile int err = 0;
	sigset_t set;
	pid_t pid;

	watched(&set);
	sigprocmask(SIG_BLOCK, &set, &child->mask);
	/* if it is ignored, children end without a status */
	sigaction(SIGCHLD, &plain, &child->on_child);
	pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (pid == 0)
		become(child, argv, environment, &err); /* NOLINT(clang-analyzer-unix.Vfork) */
	child->pid = pid;
	*forked = child->pid > 0;
	if (!*forked)
		err = -errno;
	else if (err)
		waitpid(child->pid, NULL, 0);
	if (err)
		child_end(child);
	return err;
}

static uint64_t time_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* Reap the child if it has ended: 1 if so, 0 if not yet, or -errno.  Other children are reaped too:
 * as a container's first process we are the parent of all its orphans. */
static int reap(struct child *child)
{
	for (;;) {
		struct rusage usage;
		int status;
		pid_t got = wait4(-1, &status, WNOHANG, &usage);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		if (got != child->pid)
			continue;
		child->status = status;
		child->cpu_ns = time_ns(usage.ru_utime) + time_ns(usage.ru_stime);
		return 1;
	}
}

/* Wait for the end, and forward signals that a process sent only to us.  Returns 0 or -errno. */
static int child_wait(struct child *child)
{
	sigset_t set;

	watched(&set);
	for (;;) {
		siginfo_t info;
		int number, ended = reap(child);

		if (ended)
			return ended < 0 ? ended : 0;
		number = sigwaitinfo(&set, &info);
		/* si_code above 0 is from the kernel: a terminal's signal went to the whole
		 * group */
		if (number > 0 && number != SIGCHLD && info.si_code <= 0)
			kill(child->pid, number);
	}
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

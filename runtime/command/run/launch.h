/*
 * What a program is started with: the user's settings, its environment with the library preloaded,
 * and a private directory for its spools; and its run as our child.
 *
 * The program's environment is built first and then parsed by the same code that parses it in the
 * library, so that both accept and refuse the same.
 */
#ifndef RUNTIME_COMMAND_RUN_LAUNCH_H
#define RUNTIME_COMMAND_RUN_LAUNCH_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "config/settings/settings.h"
#include "runtime/command/options/manual.h"

/* The environment for the program: a copy that can be changed. */
struct environment {
	char **entries; /* NULL-terminated */
	size_t count;
};

/* Copy a NULL-terminated environment.  Returns 0 or -ENOMEM. */
int environment_copy(struct environment *environment, char *const *from);

/* Set a variable, and replace all entries of its name.  Returns 0 or -ENOMEM. */
int environment_set(struct environment *environment, const char *name, const char *value);

/* Set a variable to `before`, its present value and `after`, with `separator` between them; or to
 * the given text alone if it is unset or empty.  One of `before` and `after` is NULL.  Returns 0 or
 * -ENOMEM. */
int environment_join(struct environment *environment, const char *name, const char *before,
		     const char *separator, const char *after);

/* --runtimes: add the options with which run-time compilers report the names of their code to a
 * profiler and keep frame pointers in it.  Each is appended to its variable, after the existing
 * ones, never in place of one.  An option that the variable already contains, with any value, is
 * left unchanged.  `interpreted`: functions of interpreted programs are found without an option,
 * and Python is not asked.  Returns 0 or -ENOMEM. */
int environment_add_runtimes(struct environment *environment, bool interpreted);

/* Remove every entry of a name. */
void environment_unset(struct environment *environment, const char *name);

void environment_free(struct environment *environment);

struct launch {
	char **command; /* COMMAND [ARG…], NULL-terminated; owned by the caller */
	struct options options;
	struct settings settings;
	struct environment environment; /* for the program */
	char file[PATH_MAX];		/* of COMMAND; empty if not found */
	char library[PATH_MAX];
	char spool[PATH_MAX]; /* our private directory */
	bool formats_asked;   /* the user named them */
	bool preloaded;	      /* the environment has the library */
};

/* A value for a setting that the user gave neither as an option nor in the environment. */
struct launch_default {
	size_t field;	   /* the first member of struct settings that it fills */
	const char *value; /* NULL ends a list */
};

/* Build the environment from ours, the options and the defaults, and read the settings from it.
 * `warn` is told about unknown variables; it may be NULL.  Returns 0; or -errno with `line` filled.
 * Call environment_free() in any case. */
int launch_settings(struct launch *launch, const struct launch_default *defaults,
		    void (*warn)(const char *line), char *line, size_t bytes);

/* Find COMMAND's file, which may fail, and our library.  Returns 0; or -errno with `line` filled.
 */
int launch_find(struct launch *launch, char *line, size_t bytes);

/* Check that the events can be counted here, and with --strict that COMMAND can be profiled.
 * Returns 0; or -errno with `line` filled.  Context: after launch_find(). */
int launch_check(const struct launch *launch, char *line, size_t bytes);

/* Make a private directory, beside the output `stem` if there is no better place, and name it in
 * the environment with the library.  May be called again for another run.  Returns the descriptor
 * that holds the directory's lock; or -errno with `line` filled and nothing left behind. */
int launch_spool(struct launch *launch, const char *stem, char *line, size_t bytes);

/* If the command was started with a standard descriptor closed, no file of ours may get its number,
 * because our messages would go into that file.  Programs find it closed as we did. */
void launch_reserve_streams(void);

/*
 * A program as our child: started with the state that the command itself was started with, signals
 * forwarded to it, and waited for.
 *
 * While programs run, signals are received with sigwaitinfo(), never by a handler, so nothing races
 * with fork or with the end of the child.  Signals from the terminal reach the program directly,
 * since it shares our process group.  Signals that a process sends only to us are forwarded.
 */

/* The signal state that the command was started with. */
struct child_signals {
	sigset_t mask;
	struct sigaction on_child;
	pid_t sender; /* forward only what this process sends; 0: any */
};

struct child_program {
	char *const *argv; /* argv[0] is looked up in PATH */
	char *const *environment;
	int input;  /* descriptor above 2 that becomes standard input; -1: ours */
	int output; /* likewise standard output */
};

struct child {
	pid_t pid;
	pid_t sender;	     /* as in struct child_signals */
	int status;	     /* as wait4(2) returned it */
	struct rusage usage; /* of the child and of the children it waited for */
	int ending;	     /* like the result of child_ending(), while it ran */
};

/* Block the signals that child_wait() receives.  Context: before the first child_start(). */
void child_hold(struct child_signals *signals);

/* Drop the signals that are still pending, and restore the state before child_hold(). */
void child_release(const struct child_signals *signals);

/* Take the signals that are pending.  Returns one that asks to end the command (SIGHUP, SIGINT,
 * SIGQUIT, SIGTERM) and is not ignored; 0 if there is none.  Context: after child_hold(), while no
 * child runs. */
int child_ending(void);

/* Like child_ending(), and forward those that a process sent only to us to a process of ours that
 * holds its signals too; 0: to none.  One that asks to end continues stopped programs below that
 * process. Context: as for child_ending(). */
int child_pass_on(pid_t to);

/* Returns a descriptor that is readable, for poll(2), while signals are pending; or -errno. */
int child_signal_fd(void);

/* Start a program.  Returns 0; or -errno of execvpe(), or -EAGAIN and the like if no child was
 * created; then *forked is false.  Context: after child_hold(). */
int child_start(struct child *child, const struct child_signals *signals,
		const struct child_program *program, bool *forked);

/* Wait for the end, and forward signals that a process sent only to us.  A signal that asks to end
 * continues the child if it is stopped.  Returns 0 or -errno. */
int child_wait(struct child *child);

/* Returns the CPU time of a child that was waited for. */
uint64_t child_cpu_ns(const struct child *child);

/* Returns the exit status by which a shell reports how the child ended: 128 plus the signal if one
 * killed it. */
int child_exit_status(const struct child *child);

#endif

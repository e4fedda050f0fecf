/*
 * One process image being sampled: settings, engine, spool, and what all threads share.
 * There is one, `session`; lifecycle.h starts and stops it.  It is never freed, since a late signal
 * may come.
 */
#ifndef RUNTIME_SAMPLE_SESSION_H
#define RUNTIME_SAMPLE_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/settings/settings.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/spool/spool_alloc.h"
#include "runtime/spool/format.h"

struct modules;

/* What preload/ lends to the runtime: the real functions behind interposed names. */
struct session_libc {
	siginfo_sigaction *sigaction;
	/* Takes a signal with our number that our counters did not send.  Called in the handler. */
	void (*foreign)(int signal, siginfo_t *info, void *context);
	/* The signal that will be ours.  Context: init, before the handler is installed. */
	void (*claim)(int signal);
	/* Tell the user one line.  Context: init. */
	void (*say)(const char *line);
};

/* When samples are kept, CLOCK_MONOTONIC: what the next spool's header begins with. */
struct session_window {
	uint64_t from_ns;
	uint64_t to_ns;
};

/* What a fork and its child write comes first, and together: see together.h. */
struct session {
	_Atomic uint32_t active;   /* 1 between start and stop.  W: start, stop.  R: anyone */
	_Atomic uint32_t stopping; /* handlers return at once.  W: stop.  R: handlers */
	_Atomic uint32_t lock;	   /* futex: attach and end of threads */
	pid_t pid;
	uint64_t start_ticks;	/* when the process started: struct spool_header */
	uint64_t forking_at_ns; /* CLOCK_BOOTTIME before a fork, or 0.  W, R: under the lock */
	struct session_window window;
	struct modules *modules;
	uint64_t start_cpu_ns; /* CPU time used before start */
	struct spool_alloc spool;
	const struct settings *settings;
	const struct session_libc *libc;
	struct plan plan;
	int signal;	  /* its number */
	bool takes_ended; /* our end is the writing of what children leave.  W: preload/, init */
	char executable[SPOOL_TEXT_MAX]; /* the program's path.  W: preload/, init */
	char arguments[SPOOL_TEXT_MAX];	 /* also of forked children.  W: start */
};

extern struct session session;

/* A fork is about to be made, or was: the child tells by it when it started.  Context: fork
 * handlers, under the lock. */
void session_fork_begin(void);
void session_fork_end(void);

/* The child of a fork: when it started, and the window as it is by now.  Context: fork child. */
void session_fork_child(void);

/* True if a sample of this moment (CLOCK_MONOTONIC) is to be kept: between FLAMETRAP_START and
 * _STOP, or `flametrap start` and `stop`, which write to the spool's header.  Context: any. */
bool session_is_wanted(uint64_t time_ns);

/* How long before this moment, which is wanted, the window was opened.  Context: any. */
uint64_t session_open_ns(uint64_t time_ns);

/* Set session.window as the settings say.  Context: init. */
void session_window_set(const struct settings *settings);

/* True if no sample was taken and no thread but the main one ever ran.  Context: thread. */
bool session_is_empty(void);

/* True if the calling task belongs to the sampled process: not a vfork child, nor the child of
 * a fork that ran no handlers.  Context: any. */
bool session_is_here(void);

/* Serialise attach and end of threads; all signals must be blocked.  Context: thread. */
void session_lock(void);
void session_unlock(void);

/* Like session_lock(), for code that may run below the lock's holder (a fork handler of the
 * target's): returns false if the lock cannot be had, which is counted.  Context: thread,
 * signal. */
bool session_lock_patiently(void);

#endif

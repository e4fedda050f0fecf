/*
 * One process image being sampled: its settings, engine, spool, and the state that all threads
 * share.  There is only one, `session`; lifecycle.c starts and stops it.  It is never freed,
 * because a signal may arrive late.
 */
#ifndef RUNTIME_SAMPLE_SESSION_SESSION_H
#define RUNTIME_SAMPLE_SESSION_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/settings/settings.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/spool/format.h"

struct modules;

/* Functions that preload/ hands to the runtime: the real functions behind interposed names. */
struct session_libc {
	siginfo_sigaction *sigaction;
	/* Handles a signal with our number that none of our counters sent, in the handler. */
	void (*foreign)(int signal, siginfo_t *info, void *context);
	/* Reserves the signal that the session uses.  Context: init, before the handler is
	 * installed. */
	void (*claim)(int signal);
	/* Shows one line to the user.  Context: init. */
	void (*say)(const char *line);
};

/* The interval in which samples are kept, in CLOCK_MONOTONIC.  It initialises the header of the
 * next spool. */
struct session_window {
	uint64_t from_ns;
	uint64_t to_ns;
};

/* Members that a fork and its child write are adjacent at the start: see sys/together.h. */
struct session {
	_Atomic uint32_t active;   /* 1 between start and stop.  W: start, stop.  R: any thread */
	_Atomic uint32_t stopping; /* handlers return at once.  W: stop.  R: handlers */
	_Atomic uint32_t lock;	   /* futex; serialises attach and end of threads */
	pid_t pid;
	uint64_t start_ticks;	/* start time of the process, as in struct spool_header */
	uint64_t forking_at_ns; /* CLOCK_BOOTTIME before a fork, or 0.  W, R: under the lock */
	struct session_window window;
	struct modules *modules;
	uint64_t start_cpu_ns;	  /* CPU time of the process before start */
	uint64_t start_thread_ns; /* and of its first thread */
	struct spool_alloc spool;
	const struct settings *settings;
	const struct session_libc *libc;
	struct plan plan;
	int signal;	  /* number of the signal in use */
	bool takes_ended; /* its writer also writes what ended children left.  W: preload/, init */
	char executable[SPOOL_TEXT_MAX]; /* the program's path.  W: preload/, init */
	char arguments[SPOOL_TEXT_MAX];	 /* of forked children too.  W: start */
};

extern struct session session;

/* Mark the start and the end of a fork.  The child derives its start time from the mark.  Context:
 * fork handlers, under the lock. */
void session_fork_begin(void);
void session_fork_end(void);

/* Set the start time of a fork's child, and keep the current window for its spool.  Context: fork
 * child. */
void session_fork_child(void);

/* Returns true if a sample at time_ns (CLOCK_MONOTONIC) is kept: it lies between FLAMETRAP_START
 * and _STOP, or `flametrap start` and `stop`, which write to the spool's header.  Context: any. */
bool session_is_wanted(uint64_t time_ns);

/* Returns how long the window has been open at time_ns, which lies in the window, in ns.  Context:
 * any. */
uint64_t session_open_ns(uint64_t time_ns);

/* Set session.window from the settings.  Context: init. */
void session_window_set(const struct settings *settings);

/* Returns true if no sample was taken and no thread but the main one ever ran.  Context: thread. */
bool session_is_empty(void);

/* Returns true if the calling task belongs to the sampled process.  A vfork child does not, nor
 * does the child of a fork that ran no handlers.  Context: any. */
bool session_is_here(void);

/* Serialise attach and end of threads.  All signals must be blocked.  Context: thread. */
void session_lock(void);
void session_unlock(void);

/* Let other threads have the lock for a while, if they wait for it.  Context: thread that holds
 * it. */
void session_give_way(void);

/* Like session_lock(), for code that may run while the same thread already holds the lock (in a
 * fork handler of the target).  Returns false if the lock cannot be taken; the failure is counted.
 * Context: thread, signal. */
bool session_lock_patiently(void);

/* Create session.spool and fill its header from the session.  The spool is in the directory that
 * the user names; else in a memory file system if there is one; else beside the output.  `output`
 * is the resolved stem of the output files, absolute.  Returns 0; or -errno after one line said
 * why.  Context: init, fork child. */
int session_spool_open(const char *output);

/* Returns the spool's part of a limit on address space, in bytes.  Context: any. */
uint64_t session_spool_share(uint64_t limit_bytes);

/* Before the first note to a new spool.  Context: init, fork child. */
void session_spool_notes_start(void);

/* Append a note to the spool's description of the run, unless it contains the note already.  A note
 * that does not fit is cut.  Notes of several threads follow each other.  Context: thread, signal,
 * after session_spool_open. */
void session_spool_note(const char *note);

#endif

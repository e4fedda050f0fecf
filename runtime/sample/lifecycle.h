/*
 * The life of a session: preload/ starts it in the constructor, restarts it in the child of a fork
 * and stops it when the process ends.
 */
#ifndef RUNTIME_SAMPLE_LIFECYCLE_H
#define RUNTIME_SAMPLE_LIFECYCLE_H

#include "runtime/spool/format.h"

struct session_libc;
struct settings;

/* Start sampling this process and its calling (main) thread; session.executable is set.  `output`
 * is the resolved stem of the output files, absolute. Returns 0; or -errno with the process as
 * before, after one line said why.  Context: init. */
int lifecycle_start(const struct settings *settings, const struct session_libc *libc,
		    const char *output);

/* The child of a fork: a spool and counters of its own.  Context: fork child. */
int lifecycle_restart(const char *output);

/* The process goes on without us, touching nothing of a parent's: the child of a fork that is
 * not to be followed.  Context: fork child. */
void lifecycle_abandon(void);

/* No sample after this; header completed.  `state` says how the image ended.  Context: any. */
void lifecycle_stop(enum spool_state state);

/* The stop did not happen after all (exec failed).  Context: thread. */
void lifecycle_resume(void);

#endif

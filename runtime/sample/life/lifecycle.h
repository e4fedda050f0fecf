/*
 * The life of a session: preload/ starts it in the constructor, restarts it in the child of a fork
 * and stops it when the process ends.
 */
#ifndef RUNTIME_SAMPLE_LIFE_LIFECYCLE_H
#define RUNTIME_SAMPLE_LIFE_LIFECYCLE_H

#include "runtime/spool/format.h"

struct session_libc;
struct settings;

/* Start sampling this process and its calling (main) thread.  The caller has set
 * session.executable.  `output` is the resolved stem of the output files, absolute.  Returns 0; or
 * -errno with the process unchanged, after one line said why.  Context: init. */
int lifecycle_start(const struct settings *settings, const struct session_libc *libc,
		    const char *output);

/* Give the child of a fork its own spool and counters.  `output` is as above.  Returns 0 or -errno.
 * Context: fork child. */
int lifecycle_restart(const char *output);

/* Stop sampling in the child of a fork that is not followed.  Nothing that belongs to the parent is
 * changed.  Context: fork child. */
void lifecycle_abandon(void);

/* Stop sampling and complete the spool's header.  No sample is taken afterwards.  `state` says how
 * the image ended.  Context: any. */
void lifecycle_stop(enum spool_state state);

/* Continue sampling after lifecycle_stop(), because exec has failed with this errno.  Context:
 * thread. */
void lifecycle_resume(int err);

#endif

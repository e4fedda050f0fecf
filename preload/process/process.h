/* The life of a process under the shim: constructor, fork, exec, ends of threads, and the end. */
#ifndef PRELOAD_PROCESS_PROCESS_H
#define PRELOAD_PROCESS_PROCESS_H

#include <stdbool.h>

/* Call when the process is about to end.  Stops sampling and has the profile written, once.
 * `orderly`, if not NULL, means an end by exit(3), when the loader may be asked for names.
 * Context: thread. */
void process_finish(void *orderly);

/* Call when the process gives up the right to make the system calls that we need.  The profile is
 * written, and from now on we make no system calls.  Context: thread. */
void process_retire(void);

/* Call when the process is about to be traced.  The profile is written, and our signal is the
 * target's own from now on.  Context: thread. */
void process_leave_to_tracer(void);

/* Before exec, with our state SPOOL_EXECED: leave the image's spool where the writer of the profile
 * finds it.  Returns true if it was removed, being empty: fork and exec leave nothing behind.
 * Context: thread. */
bool process_leave_image(void);

/* Make a new spool after exec failed, or in a fork's child.  Context: thread. */
void process_new_spool(void);

#endif

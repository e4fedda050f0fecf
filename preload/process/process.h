/*
 * The life of a process under the shim: constructor, fork, ends of threads, and the end.
 */
#ifndef PRELOAD_PROCESS_PROCESS_H
#define PRELOAD_PROCESS_PROCESS_H

#include <stdbool.h>

/* Have the calling thread's counters closed when it ends.  Context: thread. */
void process_watch_end(void);

/* The process is about to end: stop sampling and have the profile written, once.
 * `orderly`: by exit(3), when the loader may be asked for names.  Context: thread. */
void process_finish(bool orderly);

/* The process gives up the right to make the system calls that we need: the profile ends here
 * and is written, and from now on we make none.  Context: thread. */
void process_retire(void);

/* Before exec, with our state SPOOL_EXECED: what the image leaves is found by whoever writes it.
 * An empty spool of a process with one thread is removed, so that fork and exec leave nothing
 * behind.  Returns true if it was.  Context: thread. */
bool process_leave_image(void);

/* … and a new one is made after exec failed. */
void process_new_spool(void);

#endif

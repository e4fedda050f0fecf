/*
 * Keeps a process that ends from disappearing until its profile has been written.  Its other
 * threads end at once.
 */
#ifndef PRELOAD_PROCESS_EXIT_SUPERVISOR_H
#define PRELOAD_PROCESS_EXIT_SUPERVISOR_H

#include <stdbool.h>

/* Have a process that shares our memory call write(context) when the calling thread is on its way
 * out of the kernel and no other thread of the process runs.  Other processes see our end only
 * after that.  Returns true at once if this is arranged; the target may then go on to its end.
 * Returns false, and the caller writes, if there is no other thread or tracing is refused.
 * Context: thread, our last call in this process. */
bool exit_supervisor_start(void (*write)(void *context), void *context);

/* The target has named `pid` as the process that may trace it: prctl(2), PR_SET_PTRACER.
 * Context: thread. */
void exit_supervisor_note_tracer(unsigned long pid);

#endif

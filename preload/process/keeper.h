/*
 * A process that ends is kept from being gone until its profile has been written, while its other
 * threads end at once.
 */
#ifndef PRELOAD_PROCESS_KEEPER_H
#define PRELOAD_PROCESS_KEEPER_H

#include <stdbool.h>

/* Have write() called with the context by a process that shares our memory, when the calling thread
 * is on its way out of the kernel and no other thread of ours runs any more; only then is our end
 * seen by others.  Returns true at once if that will be so, and the target may go on to its end;
 * false if nothing was arranged: there is no other thread, or tracing is refused.  Then the caller
 * writes.  Context: thread, the last call of ours in this process. */
bool keeper_start(void (*write)(void *context), void *context);

/* The target has named the process that may trace it: prctl(2), PR_SET_PTRACER.  Context: thread.
 */
void keeper_note_tracer(unsigned long pid);

#endif

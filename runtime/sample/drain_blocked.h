/*
 * Reads, at the end of the process, the rings of threads that have not returned to user code.
 */
#ifndef RUNTIME_SAMPLE_DRAIN_BLOCKED_H
#define RUNTIME_SAMPLE_DRAIN_BLOCKED_H

/* Read the records of every thread that is in the kernel now, and weigh the time it has been
 * switched out.  Its user stack cannot be walked from another thread.  It is recorded as [still
 * blocked] with the one frame that /proc/self/task/TID/syscall shows.  Context: exit, sampling
 * stopped. */
void drain_blocked(void);

#endif

/*
 * At the end of the process: what the rings of threads hold that never came back to user code.
 */
#ifndef RUNTIME_SAMPLE_DRAIN_BLOCKED_H
#define RUNTIME_SAMPLE_DRAIN_BLOCKED_H

/* Take the records of every thread that sits in the kernel now, and the time it has been away.
 * Its user stack cannot be walked from here: it is [still blocked] with the one frame that
 * /proc/self/task/TID/syscall tells.  Context: exit, sampling stopped. */
void drain_blocked(void);

#endif

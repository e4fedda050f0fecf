/*
 * Finds what the threads of a living process wait for while its spool is read.  The samples of
 * those waits are still in the kernel's rings, which only the process itself can read.  But the
 * start of each wait follows from the thread's slot (struct spool_thread, seen_ns), and its cause
 * is in proc(5).
 */
#ifndef RUNTIME_PROFILE_TIME_BLOCKED_H
#define RUNTIME_PROFILE_TIME_BLOCKED_H

struct namer;
struct spool_read;

/* Add to a spool that was just read from `fd`, if its process runs on this machine, one sample for
 * each waiting thread, also to its log: [still blocked], the waiting address in user code, and the
 * kernel's functions, as far as the caller may read them.  Its weight is the time so far.  This is
 * done where the spool counts time off the CPU at every switch.  Nothing is written to the spool:
 * when the wait ends, the process accounts for all of it, so no time counts twice.  Returns 0 or
 * -ENOMEM. */
int blocked_add(struct spool_read *spool, int fd, struct namer *namer);

#endif

/*
 * What the threads of a living process wait for while its spool is read.  The samples of those
 * waits are still in the kernel's rings, which only the process itself can read; but since when
 * each thread waits follows from what its slot holds (struct spool_thread, seen_ns), and what it
 * waits for is in proc(5).
 */
#ifndef RUNTIME_FOLD_PROFILE_BLOCKED_H
#define RUNTIME_FOLD_PROFILE_BLOCKED_H

struct namer;
struct spool_read;

/* Add to a spool that was just read from `fd`, if its process runs on this machine, one sample
 * for each thread that waits: [still blocked], where in user code it waits, the kernel's
 * functions, as far as the caller may see them; weighing the time so far, where the spool counts
 * time off the processor at every switch.  Nothing is written: when the wait ends, the process
 * accounts for all of it, and nobody twice.  Returns 0 or -ENOMEM. */
int blocked_add(struct spool_read *spool, int fd, struct namer *namer);

#endif

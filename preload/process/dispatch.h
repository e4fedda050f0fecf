/*
 * Threads that have their own system calls handed back to them as SIGSYS: prctl(2),
 * PR_SET_SYSCALL_USER_DISPATCH.  One of ours would be handed to the target as well, and so would
 * the return from our handler, which is a system call too: such a thread is not sampled, and we
 * make no system call in it, unless the kernel lets through what comes from our code and libc's.
 */
#ifndef PRELOAD_PROCESS_DISPATCH_H
#define PRELOAD_PROCESS_DISPATCH_H

#include <stdbool.h>

/* Before the call with these arguments (those after the option): true if the calling thread was
 * taken out of sampling, or was already.  Context: thread. */
bool dispatch_before(const unsigned long argument[4]);

/* After it: it succeeded or not, and `out` is what dispatch_before answered. */
void dispatch_after(const unsigned long argument[4], bool out, bool succeeded);

/* In a thread that was taken out: our system calls are made again if none of them would be handed
 * to the target now; true if they are, and dispatch_lower() is due.  Context: thread. */
bool dispatch_lift(void);
void dispatch_lower(bool lifted);

/* Was the calling thread taken out?  Context: thread. */
bool dispatch_is_out(void);

/* The child of a fork, in which nothing is dispatched (Documentation/admin-guide/
 * syscall-user-dispatch.rst): true if the thread that forked was taken out. */
bool dispatch_fork_child(void);

/* The calling thread ends.  Context: thread, its last moments. */
void dispatch_thread_end(void);

#endif

/*
 * Threads whose system calls are handed back to them as SIGSYS: prctl(2),
 * PR_SET_SYSCALL_USER_DISPATCH.  A system call of ours would be handed to the target as well, and
 * so would the return from our handler, which is also a system call.  Such a thread is not
 * sampled, and we make no system call in it, unless the kernel lets calls from our code and from
 * libc's pass.
 */
#ifndef PRELOAD_SIGNALS_SYSCALL_DISPATCH_H
#define PRELOAD_SIGNALS_SYSCALL_DISPATCH_H

#include <stdbool.h>

/* Call before the prctl call with these arguments, which are those after the option.  Returns
 * true if the calling thread was taken out of sampling, now or earlier.  Context: thread. */
bool syscall_dispatch_before(const unsigned long argument[4]);

/* Call after the prctl call.  `out` is the result of syscall_dispatch_before(); `succeeded` says
 * whether the call succeeded. */
void syscall_dispatch_after(const unsigned long argument[4], bool out, bool succeeded);

/* In a thread that was taken out: allow our system calls again if none of them would be handed
 * to the target now.  Returns true if they are allowed; then call syscall_dispatch_lower(true)
 * afterwards.  Context: thread. */
bool syscall_dispatch_lift(void);
void syscall_dispatch_lower(bool lifted);

/* True if the calling thread was taken out.  Context: thread. */
bool syscall_dispatch_is_out(void);

/* Call in the child of a fork, in which nothing is dispatched
 * (Documentation/admin-guide/syscall-user-dispatch.rst).  Returns true if the thread that forked
 * was taken out. */
bool syscall_dispatch_fork_child(void);

/* Call when the calling thread ends.  Context: thread, its last moments. */
void syscall_dispatch_thread_end(void);

#endif

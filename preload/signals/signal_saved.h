/*
 * Masks that the target saves and restores later: sigsetjmp(3), getcontext(3), swapcontext(3).
 * These functions save the kernel's mask, in which our signal is missing under a veil.  A mark
 * after the saved mask, in the part of libc's sigset_t that the kernel does not use, says that the
 * target blocks our signal.
 */
#ifndef PRELOAD_SIGNALS_SIGNAL_SAVED_H
#define PRELOAD_SIGNALS_SIGNAL_SAVED_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/* Call when the thread's mask is about to be saved in `mask`.  Context: any. */
void signal_saved_note(sigset_t *mask);

/* Call when `mask`, which was saved in this way, is about to become the thread's mask, or has
 * just become it.  Context: any. */
void signal_saved_return(sigset_t *mask);

/* Like signal_saved_return(), for a context or a jump buffer.  The jump may restore no mask.
 * signal_saved_context() returns false if the context's memory is not readable.  Context: any. */
bool signal_saved_context(const ucontext_t *context);
void signal_saved_jump(struct __jmp_buf_tag *to);

#endif

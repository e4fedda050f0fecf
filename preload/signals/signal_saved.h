/*
 * Masks that the target saves and comes back to: sigsetjmp(3), getcontext(3), swapcontext(3).  The
 * kernel's mask is what they save, and under a veil our signal is missing there: a mark behind it,
 * where libc's masks have room that the kernel does not use, says that the target blocks it.
 */
#ifndef PRELOAD_SIGNALS_SIGNAL_SAVED_H
#define PRELOAD_SIGNALS_SIGNAL_SAVED_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/* The thread's mask is about to be saved in `mask`.  Context: any. */
void signal_saved_note(sigset_t *mask);

/* `mask`, saved so, is about to be the thread's, or just became it.  Context: any. */
void signal_saved_return(sigset_t *mask);

/* The same of a context or of a jump, which may be to the mask of now.  False: there is nothing at
 * that address.  Context: any. */
bool signal_saved_context(const ucontext_t *context);
void signal_saved_jump(struct __jmp_buf_tag *to);

#endif

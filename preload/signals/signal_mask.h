/*
 * Whether the target blocks our signal, for each thread.  The kernel's mask tells, but for a veil:
 * a thread that blocks nearly everything, as libraries do in threads of their own, keeps our signal
 * open and is still sampled.
 *
 * While our signal is really blocked, the thread's counters stand still, so that none of ours is
 * ever pending: what waits there is the target's, and the kernel's own sigwait, signalfd,
 * sigpending and sigsuspend are right.  So a program that blocks our signal by name, or that waits
 * for it, has its blocks made real, and so has a thread for which a signal of the target's waits,
 * until it has been taken.  A flag that outlives a siglongjmp or a cancellation costs samples, no
 * signals.
 *
 * A child of vfork(2) or clone(2) shares memory with its parent, but has a mask of its own: there
 * every call goes to the kernel and no state is touched.
 */
#ifndef PRELOAD_SIGNALS_SIGNAL_MASK_H
#define PRELOAD_SIGNALS_SIGNAL_MASK_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#include "preload/signals/signal_veil.h"

/* Take over the mask that the process inherited; settle when its counters are open, or stop when
 * they will not be: the mask is as before.  Context: init. */
void signal_mask_start(int signal);
void signal_mask_stop(void);

/* The calling thread's counters were just opened: if our signal is really blocked, they stand
 * still.  Context: thread. */
void signal_mask_settle(void);

/* The signals of a mask as BSD's calls have it, one bit for each of 1 to 31.  Context: any. */
void signal_mask_of_bsd(int mask, sigset_t *set);

/* pthread_sigmask(3) as the target sees it, through `change`, the real function.
 * Returns what change returns.  Context: any. */
int signal_mask_change(int (*change)(int, const sigset_t *, sigset_t *), int how,
		       const sigset_t *set, sigset_t *old);

/* Around the creation of a thread, which inherits the mask: without its veil, until it has put on
 * its own.  The first returns true if the second is needed, and inherit is told so in the new
 * thread, before its counters are opened; that returns true if settle is needed after it.
 * Context: thread. */
bool signal_mask_pass_on(void);
void signal_mask_passed_on(void);
bool signal_mask_inherit(bool veiled);

/* The target waits for signals, or asks for them, in `set`: unless that names nearly all, it means
 * ours, and from now on its blocks are real.  Context: thread. */
void signal_mask_meant(const sigset_t *set);

/* A file reads what is pending (signalfd): where a handler of another signal's runs with a block,
 * that is real from now on.  Context: thread. */
void signal_mask_read_by_file(void);

/* Before a call that sleeps with `set` for its mask: true if the veil had to be lifted for it, and
 * lower is due after it.  Also if `set` has our signal: one that waits would come when the call has
 * ended, and it would look as if it had ended it.  Or a handler leaves the call by a jump to the
 * mask of now.  Context: thread. */
bool signal_mask_lift(const sigset_t *set);
void signal_mask_lower(void);
void signal_mask_jump(void);

/* After any call that may have taken what was pending.  Context: thread. */
void signal_mask_heal(void);

/* Our signal is pending: where that may be one of our own, since the target's handler of another
 * signal blocks it, take that back and return true: then none comes before the second call.
 * Context: thread. */
bool signal_mask_drop_ours(void);
void signal_mask_dropped(void);

/* What a new image inherits must be the target's view: make the mask real, and virtual again if
 * true was returned.  Context: thread. */
bool signal_mask_show(void);
void signal_mask_hide(void);

/* Does the interrupted thread, as it believes, block our signal?  Then the kernel would have kept
 * a signal of the target's pending: keep it so.  Context: signal, all signals blocked. */
bool signal_mask_veils(const ucontext_t *context);
void signal_mask_keep(siginfo_t *info, ucontext_t *context);

/* Around the target's own handler, which runs with our signal blocked as far as it can see, and
 * which may be left by siglongjmp.  Context: signal. */
void signal_mask_enter(struct signal_veil_saved *saved, bool blocked);
void signal_mask_leave(const struct signal_veil_saved *saved, const ucontext_t *context);

#endif

/*
 * Whether the target blocks our signal, for each thread.  The kernel's mask is the answer, except
 * under emulation: a thread that blocks nearly all signals, as libraries do in threads of their
 * own, keeps our signal unblocked and is still sampled.
 *
 * While our signal is really blocked, the thread's counters are stopped, so that none of our
 * signals is ever pending.  A pending signal is then the target's, and the kernel's own sigwait,
 * signalfd, sigpending and sigsuspend give the right answers.  The block is therefore made real in
 * a program that blocks our signal by name or waits for it.  It is also made real in a thread that
 * has a signal of the target's pending, until that signal is taken.  A flag that survives a
 * siglongjmp or a cancellation costs samples, but no signals.
 *
 * A child of vfork(2) or clone(2) shares memory with its parent but has a mask of its own.  There
 * every call goes to the kernel, and no state is changed.
 */
#ifndef PRELOAD_SIGNALS_SIGNAL_MASK_H
#define PRELOAD_SIGNALS_SIGNAL_MASK_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include <ucontext.h>

#define MASK_EMULATION_MARK 0x6b73616d6c616e67ULL /* marks a handler's frame */

enum mask_emulation {
	MASK_EMULATION_NONE,
	MASK_EMULATION_NEARLY_ALL,  /* holds while nearly all signals are blocked */
	MASK_EMULATION_IN_HANDLER,  /* holds while the target's handler of our signal runs */
	MASK_EMULATION_FROM_PARENT, /* blocked before the program began */
};

/* The state of one thread.  Under emulation our signal stays unblocked; during a real block the
 * counters are stopped. */
struct mask_emulation_state {
	uint64_t frame;	    /* for MASK_EMULATION_IN_HANDLER: the handler's frame */
	uint64_t lifted_ns; /* CPU time when it was shut for one call; 0: until further notice */
	pid_t child;	    /* vfork child that shares this memory and whose mask is real now */
	uint8_t emulation;
	bool shut;	 /* our signal is really blocked and the counters are stopped */
	bool by_handler; /* shut for one call in a handler for which the kernel blocks our signal */
};

/* The state of the thread's emulation, saved in the frame that calls the target's handler of our
 * signal. */
struct mask_emulation_saved {
	uint64_t here; /* marks the frame */
	uint64_t frame;
	uint8_t emulation;
};

/* The calling thread's.  In a task whose thread pointer is not libc's it is always empty, and what
 * is written there is lost.  W, R: the thread. */
struct mask_emulation_state *mask_emulation_own(void);
#define mask_state (*mask_emulation_own())

extern uint64_t mask_emulation_bit; /* our signal's bit in a mask; 0: there is none */
extern _Atomic uint32_t
	mask_emulation_meant; /* sticky: a block means our signal.  W, R: any thread */
extern _Atomic uint32_t
	mask_emulation_used; /* sticky: a mask has contained it.  W, R: any thread */

/* word returns a mask as the kernel has it.  The questions are about such a mask and about the
 * sticky flags.  Context of all: thread, signal. */
uint64_t mask_emulation_word(const sigset_t *set);
bool mask_emulation_is_nearly_all(uint64_t mask);
bool mask_emulation_is_meant(void);
bool mask_emulation_is_used(void);
void mask_emulation_use(void);

/* The kernel's state of the calling thread: its mask, and whether our signal is pending. */
uint64_t mask_emulation_mask(void);
bool mask_emulation_is_pending(void);

/* holds: true if the thread's emulation holds with this real mask and stack pointer.  sp: the
 * current stack pointer.  is_on: true if it holds now. */
bool mask_emulation_holds(uint64_t mask, uint64_t sp);
uint64_t mask_emulation_sp(void);
bool mask_emulation_is_on(void);

/* Really block or unblock our signal.  `how` is SIG_BLOCK or SIG_UNBLOCK. */
void mask_emulation_set(int how);

/* shut stops the counters and notes that in the profile.  open starts them again if they were
 * stopped.  shut_briefly is for one call, which mostly sleeps: the note is written only if the
 * thread used much CPU time in it. */
void mask_emulation_shut(void);
void mask_emulation_shut_briefly(void);
void mask_emulation_open(void);

/* block turns an emulated block into a real one; lift does so for one call.  Both take back our
 * signals that are queued.  begin turns the block into an emulated one again. */
void mask_emulation_block(void);
void mask_emulation_lift(void);
void mask_emulation_begin(enum mask_emulation emulation);

/* Take over the mask that the process inherited.  Call settle when the counters are open.  Call
 * stop instead if they will not be opened; it restores the mask.  Context: init. */
void signal_mask_start(int signal);
void signal_mask_stop(void);

/* Call when the counters of the calling thread have just been opened.  Stops them if our signal
 * is really blocked.  Context: thread. */
void signal_mask_settle(void);

/* Convert a BSD mask, one bit for each of the signals 1 to 31, to a signal set.  Context: any. */
void signal_mask_of_bsd(int mask, sigset_t *set);

/* pthread_sigmask(3) as the target sees it, through `change`, the real function.  Returns the
 * result of `change`.  Context: any. */
int signal_mask_change(int (*change)(int, const sigset_t *, sigset_t *), int how,
		       const sigset_t *set, sigset_t *old);

/* Around the creation of a thread, which inherits the creator's mask without the emulation until it
 * has its own.  pass_on makes the mask real, and returns true if passed_on is needed afterwards.
 * The new thread passes that result to inherit before its counters are opened.  inherit returns
 * true if settle is needed after they are open.  Context: thread. */
bool signal_mask_pass_on(void);
void signal_mask_passed_on(void);
bool signal_mask_inherit(bool emulated);

/* The target waits for the signals in `set`, or asks whether they are pending.  Unless the set
 * contains nearly all signals, the target means ours, and its blocks are real from now on.
 * Context: thread. */
void signal_mask_meant(const sigset_t *set);

/* A signalfd reads pending signals.  If the kernel blocks our signal because a handler of
 * another signal runs, the block becomes real from now on.  Context: thread. */
void signal_mask_read_by_file(void);

/* Before a call that sleeps with the mask `set`.  lift returns true if the emulation had to be
 * lifted for it; then call lower afterwards.  The emulation is lifted even if `set` blocks our
 * signal: a pending one of ours would be delivered at the end of the call, and would appear to have
 * interrupted it.  jump is called when a handler leaves the call by a jump that restores no
 * mask.  Context: thread. */
bool signal_mask_lift(const sigset_t *set);
void signal_mask_lower(void);
void signal_mask_jump(void);

/* Call after any call that may have taken a pending signal.  Context: thread. */
void signal_mask_heal(void);

/* Call when our signal is pending.  It may be one of ours if a handler of another signal of the
 * target's blocks it.  In that case drop_ours discards it and returns true, and none of ours
 * arrives until dropped is called.  Context: thread. */
bool signal_mask_drop_ours(void);
void signal_mask_dropped(void);

/* A new image must inherit the target's view.  show makes the mask real; if it returns true,
 * hide makes it virtual again.  Context: thread. */
bool signal_mask_show(void);
void signal_mask_hide(void);

/* emulates returns true if the interrupted thread believes that it blocks our signal.  The kernel
 * would then have kept a signal of the target's pending; keep keeps it pending.  Context:
 * signal, all signals blocked. */
bool signal_mask_emulates(const ucontext_t *context);
void signal_mask_keep(siginfo_t *info, ucontext_t *context);

/* Around the target's own handler.  The handler sees our signal as blocked if `blocked`, and may
 * be left by siglongjmp.  Context: signal. */
void signal_mask_enter(struct mask_emulation_saved *saved, bool blocked);
void signal_mask_leave(const struct mask_emulation_saved *saved, const ucontext_t *context);

#define SHARING_LOCAL __attribute__((visibility("hidden")))

/* Children that share our memory (vfork, and clone with CLONE_VM).  Until libc's functions were
 * called to create the first one, the kernel need not be asked which process calls.  W: the entries
 * and clone.  R: any thread. */
extern _Atomic uint8_t sharing_begun SHARING_LOCAL;

/* True if the caller may change the state of the process's thread.  Like session_is_here(),
 * which asks the kernel, but also true in the child of a fork that ran no fork handlers, whose
 * state is its own copy.  Context: any. */
bool sharing_is_here(void) SHARING_LOCAL;

/* sigtimedwait(2) for a set that contains our signal.  If `time` is NULL there is no time limit.
 * `wait` is the real function.  Returns the signal's number, or -1 with errno.  Context: thread. */
typedef int (*wait_calls_wait)(const sigset_t *set, siginfo_t *info, const struct timespec *time);
int wait_calls_for(wait_calls_wait wait, const sigset_t *set, siginfo_t *info,
		   const struct timespec *time);

#endif

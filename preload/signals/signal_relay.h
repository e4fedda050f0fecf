/*
 * The target's handlers that run on a signal stack (SA_ONSTACK) of its own.  The kernel's signal
 * stack is ours then (runtime/sample/session/signal_stack.h).  So the kernel calls an entry of ours
 * instead of the handler, and the entry moves the frame to the target's stack (signal_calls.c).
 * Where there is nothing to move, the entry jumps to the handler, with everything as the kernel
 * left it.
 *
 * Each handler has an entry of its own, for good: whoever copies an action, as libc's system(3)
 * does, copies the handler with it.  The entries begin with the first signal stack that the target
 * sets; other programs keep their handlers in the kernel.
 */
#ifndef PRELOAD_SIGNALS_SIGNAL_RELAY_H
#define PRELOAD_SIGNALS_SIGNAL_RELAY_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* begin: from now on handlers get entries; returns true the first time.  Context: any. */
bool signal_relay_begin(void);
bool signal_relay_has_begun(void);

/* Returns what the kernel gets instead of a handler that is set with these flags and this mask: its
 * entry, or the handler itself.  Context: any. */
uint64_t signal_relay_hide(uint64_t handler, uint64_t flags, uint64_t mask);

/* Returns the handler behind an entry; any other handler is returned as it is.  Context: any. */
uint64_t signal_relay_show(uint64_t handler);

/* Returns the handler of entry number `which`.  Context: any. */
uint64_t signal_relay_handler(unsigned which);

/* Like signal_relay_show(), in an action that was read from the kernel.  Context: any. */
void signal_relay_show_action(struct sigaction *action);

/* True if the address is the first of an entry.  Context: any. */
bool signal_relay_is_entry(uint64_t address);

/* True for a handler, set with this mask, that has to run on the kernel's signal stack: Go's
 * runtime, whose handler blocks all signals, asks the kernel where it is, past libc.  Context:
 * any. */
bool signal_relay_stays(uint64_t handler, uint64_t mask);

/* By machine.  The addresses of the entries, `count` of them, `bytes` apart.  count 0: there are
 * none.  Entry i calls signal_relay_choose() with i. */
struct signal_relay_entries {
	uint64_t first;
	unsigned count;
	unsigned bytes;
};
struct signal_relay_entries signal_relay_entries(void);

#define SIGNAL_RELAY_MOST 64

/* Called by entry number `which` (signal_calls.c), with the arguments of the handler.  `kernel`:
 * the kernel has called the entry, with a frame that begins at its stack pointer.  Returns the
 * handler to jump to; 0: the context was changed, and a return enters the handler.  Context:
 * signal. */
uint64_t signal_relay_choose(int signal, siginfo_t *info, void *context, bool kernel,
			     unsigned which) __attribute__((visibility("hidden")));

struct signal_frame_call {
	const struct sigaction *action;
	siginfo_t *info;
	int signal;
	uint64_t mask; /* of the thread while the handler runs */
	bool emulated; /* the signal is ours, and the handler sees it as `blocked` or not */
	bool blocked;
};

/* True if frames can be made in the calling thread.  Context: any. */
bool signal_frame_is_able(void);

/* Call a handler of the target on the stack on which the kernel would have called it: its own
 * signal stack, or, for a handler of our signal that was installed without SA_ONSTACK, the stack
 * that the signal interrupted.  A frame as the kernel builds it is put there, and our own return
 * enters the handler with it.  Returns false, with nothing changed, where the handler is called
 * from ours instead: its stack is the one that we are on, or there is no room on the interrupted
 * stack, or the machine forbids it.  Without room on the target's signal stack the process will die
 * of SIGSEGV, as by the kernel.  Context: signal, all signals blocked. */
bool signal_frame_enter(ucontext_t *context, const struct signal_frame_call *call);

#endif

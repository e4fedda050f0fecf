/*
 * A handler of the target, called on the stack on which the kernel would have called it, when the
 * kernel has called ours on our signal stack: on the target's own signal stack, or, for a handler
 * of our signal that was installed without SA_ONSTACK, on the stack that the signal interrupted.  A
 * frame as the kernel builds it is put there, and our own return enters the target's handler with
 * it.
 */
#ifndef PRELOAD_SIGNALS_SIGNAL_FRAME_H
#define PRELOAD_SIGNALS_SIGNAL_FRAME_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

struct signal_frame_call {
	const struct sigaction *action;
	siginfo_t *info;
	int signal;
	uint64_t mask; /* of the thread while the handler runs */
	bool veiled;   /* the signal is ours, and the handler sees it as `blocked` or not */
	bool blocked;
};

/* True if frames can be made in the calling thread.  Context: any. */
bool signal_frame_is_able(void);

/* Change the context of our handler so that its return enters the target's handler.  Returns false,
 * with nothing changed, where the target's handler is called from ours instead: its stack is the
 * one that we are on, or there is no room on the interrupted stack, or the machine forbids it.
 * Without room on the target's signal stack the process will die of SIGSEGV, as by the kernel.
 * Context: signal, all signals blocked. */
bool signal_frame_enter(ucontext_t *context, const struct signal_frame_call *call);

#endif

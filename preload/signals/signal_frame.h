/*
 * The target's handler of our signal, called on the stack that the signal interrupted.  Our own
 * handler runs on the alternate stack; one that the target installed without SA_ONSTACK does not.
 * A frame as the kernel builds it is put below the interrupted stack pointer, and our own return
 * enters the target's handler with it.
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
	bool blocked;  /* the handler sees our signal as blocked */
};

/* Change the context of our handler so that its return enters the target's handler.  Returns false,
 * with nothing changed, where the target's handler is called from ours instead: its stack is the
 * one that we are on, or there is no room, or the machine forbids it.  Context: signal, all signals
 * blocked. */
bool signal_frame_enter(ucontext_t *context, const struct signal_frame_call *call);

#endif

/*
 * Moves the target's handlers to its own signal stack: when the kernel has called an entry
 * (signal_relay.h) on our signal stack.
 */
#ifndef PRELOAD_SIGNALS_SIGNAL_MOVE_H
#define PRELOAD_SIGNALS_SIGNAL_MOVE_H

#include <stdbool.h>

/* The target is about to set a signal stack.  Returns true if its handlers are moved there, from
 * now on; those that it has set before are replaced by entries.  Returns false where frames cannot
 * be made, or where libc does not tell which object a handler belongs to.  Context: thread. */
bool signal_move_begin(void);

#endif

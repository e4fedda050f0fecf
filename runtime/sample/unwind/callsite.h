/*
 * Decodes the call instruction just before an address (callsite_x86_64.c, callsite_aarch64.c):
 * whether there is one, and its destination.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_CALLSITE_H
#define RUNTIME_SAMPLE_UNWIND_CALLSITE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

#define CALLSITE_NONE	 0 /* there is no call */
#define CALLSITE_UNKNOWN 1 /* a call whose instruction does not contain its destination */
#define CALLSITE_OTHER	 2 /* to a function that has unwind information */
#define CALLSITE_ROOT	 3 /* no call: Go stores this address below a goroutine's first frame */
#define CALLSITE_SOME	 4 /* a call whose destination was not asked for */

/* Returns the destination of the call instruction just before `returns`, or one of the values above
 * except CALLSITE_OTHER.  Only the code itself is read, and that of the destination, which may be a
 * stub of the linker, only if `destination`: else any call is CALLSITE_SOME.  Where there is no
 * call, Go's runtime.goexit is recognised by the no-op at its start and the call behind it.  Makes
 * system calls.  Context: signal, not holding unwind_lock. */
uint64_t callsite_callee(const struct unwind_walk *walk, uint64_t returns, bool destination);

/* With this bit, `returns` is the key under which the destination of the call before it is kept. No
 * address of code has the bit. */
extern const uint64_t callsite_key_bit;

#endif

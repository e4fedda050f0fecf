/*
 * The call before an address (callsite_x86_64.c, callsite_aarch64.c): whether there is one, and
 * where it goes, by the instruction itself.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_CALLSITE_H
#define RUNTIME_SAMPLE_UNWIND_CALLSITE_H

#include <stdint.h>

#define CALLSITE_NONE	 0 /* there is no call */
#define CALLSITE_UNKNOWN 1 /* there is one: where it goes, the instruction does not say */
#define CALLSITE_OTHER	 2 /* to a function that has unwind information */
#define CALLSITE_ROOT	 3 /* no call: Go puts this address below the first of a goroutine */

/* The address that the call instruction before `returns` goes to, or one of the above, but not
 * CALLSITE_OTHER, from the code itself.  Where there is none, Go's runtime.goexit is known by the
 * no-op that it begins with and the call behind it.  System calls.  Context: signal. */
uint64_t callsite_callee(uint64_t returns);

/* A key for what the call before `returns` goes to, which is no address of code.  Context: any. */
uint64_t callsite_key(uint64_t returns);

#endif

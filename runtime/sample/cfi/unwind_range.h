/*
 * The memory that a walk may read.  Every load of a frame goes through a range that is known to be
 * mapped: the thread's stack, the signal stack, or, for an unknown stack (a coroutine's), pages
 * that were probed one by one.
 */
#ifndef RUNTIME_SAMPLE_CFI_UNWIND_RANGE_H
#define RUNTIME_SAMPLE_CFI_UNWIND_RANGE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/elf/memory.h"

struct unwind_memo;

/* The stack of a thread, determined in the thread before its events are enabled. */
struct unwind_stack {
	uint64_t low;		  /* lowest address that may be read */
	uint64_t high;		  /* one past the highest */
	struct unwind_memo *memo; /* the owner's; NULL: none */
	/* The lowest page that was found readable; it belongs to the owner.  Then `low` is only a
	 * bound, and guard pages may lie above it.  NULL: all is readable.  W, R: walks of that
	 * thread */
	_Atomic uint64_t *seen;
};

#define UNWIND_RED_ZONE 128 /* below the stack pointer: popped slots that rules still name */

struct unwind_range {
	uint64_t low;	      /* a multiple of 8 */
	uint64_t last;	      /* index of the last word that may be read, from low */
	unsigned probes_left; /* pages that may still be added at the high end; 0: fixed */
};

/* Record where the main thread's stack began.  Context: init. */
void unwind_range_start(void);

/* The calling thread's own stack; memo and seen stay as they are.  Returns 0, or -errno.
 * Context: thread (may take locks and read /proc for the main thread). */
int unwind_stack_of_thread(struct unwind_stack *stack);

/* Choose the range that sp lies in: the thread's stack, else the signal stack of the interrupted
 * context, else probed memory.  False, and *range unchanged: sp lies in no readable memory.  Makes
 * a system call only for probing.  Context: signal. */
bool unwind_range_pick(struct unwind_range *range, uint64_t sp, const stack_t *signal_stack,
		       const struct unwind_stack *stack);

/* Try to make address (a multiple of 8 above the range) readable by probing.
 * Context: signal. */
bool unwind_range_extend(struct unwind_range *range, uint64_t address);

/* True if sp is where the kernel began the main thread's stack: a frame there has no caller,
 * whatever code it is (ld.so's first instructions have no unwind information).
 * Context: signal. */
bool unwind_range_is_root(uint64_t sp);

/* True if at least `bytes` of stack are left below the caller's frame.  Context: signal. */
bool unwind_range_headroom(uint64_t bytes, const stack_t *signal_stack,
			   const struct unwind_stack *stack);

/* One comparison checks alignment and both bounds: a misaligned address rotates its low bits to the
 * top, one below `low` wraps, and either is larger than any index. */
static inline bool unwind_range_holds(const struct unwind_range *range, uint64_t address)
{
	uint64_t offset = address - range->low;

	return (offset >> 3 | offset << 61) <= range->last;
}

static inline bool unwind_range_admits(struct unwind_range *range, uint64_t address)
{
	if (__builtin_expect(unwind_range_holds(range, address), 1))
		return true;
	return range->probes_left && unwind_range_extend(range, address);
}

MEMORY_RAW static inline uint64_t unwind_range_load(uint64_t address)
{
	/* in a range, or a word of a context: never NULL.  NOLINTNEXTLINE(clang-analyzer-*) */
	return *(const volatile uint64_t *)address;
}

#endif

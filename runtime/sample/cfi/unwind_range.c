/*
 * Stacks: their bounds and their owners.  Comparisons never add to an address, because a corrupted
 * context may hold any value, and never subtract below zero.
 */
#include "runtime/sample/cfi/unwind_range.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/sys/sys.h"

#define PAGE_BYTES 4096ULL
#define PROBES_MAX 2048		  /* pages of a stack whose bounds nobody tells: 8 MB … */
#define LEAP_MAX   64		  /* … and of one frame: a wrong address costs no more */
#define EDGE_PAGES 16		  /* above a guessed low end, among which the guard pages are */
#define MAIN_MOST  (128ULL << 20) /* assumed for an unlimited stack, mm/util.c: MIN_GAP */

/* The main thread's stack grows by page faults, and nothing is mapped below its present end.  The
 * lowest page that was found readable is kept; above it the stack is one piece.  Other threads'
 * stacks keep theirs in struct unwind_stack. */
static uint64_t main_root;	   /* the initial stack pointer, 0: unknown.  W: init */
static _Atomic uint64_t main_seen; /* W, R: the main thread, in its handler */

static void range_set(struct unwind_range *range, uint64_t low, uint64_t high)
{
	range->low = low;
	range->last = (high - low) / 8 - 1;
	range->probes_left = 0;
}

/* [low, high) if it holds sp with a word to read; the part above sp's red zone. */
static bool range_within(struct unwind_range *range, uint64_t sp, uint64_t low, uint64_t high)
{
	low = (low + 7) & ~7ULL;
	high &= ~7ULL;
	if (high < MEMORY_LOWEST || sp < low || sp >= high || high - sp < 8)
		return false;
	if (sp - low > UNWIND_RED_ZONE)
		low = (sp - UNWIND_RED_ZONE) & ~7ULL;
	range_set(range, low, high);
	return true;
}

/* True if all pages from `page` up to `high` can be read; `page` is always checked. */
static bool is_readable_up_to(uint64_t page, uint64_t high)
{
	do {
		if (!memory_is_readable(page))
			return false;
		page += PAGE_BYTES;
	} while (page < high);
	return true;
}

/* The range never starts below the probed page: the red zone's page may not be mapped yet.  Pages
 * that the thread has not touched are left alone, because a probe would allocate them.  But below
 * `edge` there may be guard pages, with other memory beyond them. */
static bool range_seen(struct unwind_range *range, uint64_t sp, _Atomic uint64_t *lowest,
		       uint64_t edge)
{
	uint64_t seen = atomic_load_explicit(lowest, memory_order_relaxed);
	uint64_t high = range->low + range->last * 8 + 8;
	uint64_t page = sp & ~(PAGE_BYTES - 1);

	if (range->low >= seen)
		return true;
	if (sp < seen) {
		if (!is_readable_up_to(page, seen < edge ? seen : edge))
			return false;
		atomic_store_explicit(lowest, page, memory_order_relaxed);
		seen = page;
	}
	if (range->low < seen && memory_is_readable(range->low)) {
		seen = range->low & ~(PAGE_BYTES - 1);
		atomic_store_explicit(lowest, seen, memory_order_relaxed);
	}
	range_set(range, range->low > seen ? range->low : seen, high);
	return true;
}

static bool range_probe(struct unwind_range *range, uint64_t sp)
{
	uint64_t page = sp & ~(PAGE_BYTES - 1);
	uint64_t low = page;

	if (!memory_is_readable(sp))
		return false;
	if (sp - page > UNWIND_RED_ZONE)
		low = (sp - UNWIND_RED_ZONE) & ~7ULL;
	range_set(range, low, page + PAGE_BYTES);
	range->probes_left = PROBES_MAX - 1;
	return true;
}

/* An upper bound of the main stack is either the initial stack pointer or the end of its page. */
static bool is_main(uint64_t high)
{
	return main_root && high >= main_root && high - main_root <= PAGE_BYTES;
}

static bool is_seen(struct unwind_range *range, uint64_t sp, const struct unwind_stack *stack)
{
	if (is_main(stack->high))
		return range_seen(range, sp, &main_seen, 0);
	return !stack->seen ||
	       range_seen(range, sp, stack->seen, stack->low + EDGE_PAGES * PAGE_BYTES);
}

bool unwind_range_pick(struct unwind_range *range, uint64_t sp, const stack_t *signal_stack,
		       const struct unwind_stack *stack)
{
	uint64_t low = (uint64_t)signal_stack->ss_sp;
	uint64_t size = signal_stack->ss_size;
	struct unwind_range found;

	if (range_within(&found, sp, stack->low, stack->high) && is_seen(&found, sp, stack)) {
		*range = found;
		return true;
	}
	if (!(signal_stack->ss_flags & SS_DISABLE) && size && size <= UINT64_MAX - low &&
	    range_within(range, sp, low, low + size))
		return true;
	return range_probe(range, sp);
}

bool unwind_range_extend(struct unwind_range *range, uint64_t address)
{
	uint64_t next = range->low + range->last * 8 + 8;
	uint64_t pages = range->probes_left < LEAP_MAX ? range->probes_left : LEAP_MAX;

	if ((address & 7) || address < next || address - next >= pages * PAGE_BYTES)
		return false;
	while (address >= next) {
		range->probes_left--;
		if (!memory_is_readable(next)) {
			range->probes_left = 0;
			return false;
		}
		next += PAGE_BYTES;
	}
	range->last = (next - range->low) / 8 - 1;
	return true;
}

bool unwind_range_is_root(uint64_t sp)
{
	return main_root && sp >= (main_root & ~15ULL) && sp - (main_root & ~15ULL) < PAGE_BYTES;
}

bool unwind_range_headroom(uint64_t bytes, const stack_t *signal_stack,
			   const struct unwind_stack *stack)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);
	uint64_t low = (uint64_t)signal_stack->ss_sp;

	if (!(signal_stack->ss_flags & SS_DISABLE) && here >= low &&
	    here - low < signal_stack->ss_size)
		return here - low >= bytes;
	if (here >= stack->low && here < stack->high && !stack->seen)
		return here - stack->low >= bytes;
	for (uint64_t below = 0; below < bytes; below += PAGE_BYTES)
		if (!memory_is_readable(here - below))
			return false;
	return memory_is_readable(here - bytes);
}

/* The initial stack pointer is kept by ld.so. */
void unwind_range_start(void)
{
	void *const *initial = loader_libc_symbol("__libc_stack_end");

	if (!initial)
		return;
	main_root = (uint64_t)*initial;
	atomic_store_explicit(&main_seen, main_root & ~(PAGE_BYTES - 1), memory_order_relaxed);
}

/* The main thread's stack reaches from the page of the initial stack pointer down by the soft
 * limit. */
static bool main_stack(struct unwind_stack *stack, uint64_t here)
{
	uint64_t high = (main_root | (PAGE_BYTES - 1)) + 1;
	uint64_t size = MAIN_MOST;
	struct rlimit limit;

	if (!main_root)
		return false;
	if (!sys_getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur != RLIM_INFINITY)
		size = limit.rlim_cur;
	stack->low = size < high ? high - size : 0;
	stack->high = high;
	return here >= stack->low && here < high;
}

/* The main thread is recognised by its stack and not by its thread id: a child forked by another
 * thread runs on that thread's stack.  For the main thread, pthread_getattr_np would read
 * /proc/self/maps with stdio, so it is called for other threads only. */
int unwind_stack_of_thread(struct unwind_stack *stack)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);
	pthread_attr_t attributes;
	size_t size = 0;
	void *low = NULL;
	int err;

	if (main_stack(stack, here))
		return 0;
	err = pthread_getattr_np(pthread_self(), &attributes);
	if (err)
		return -err;
	err = pthread_attr_getstack(&attributes, &low, &size);
	pthread_attr_destroy(&attributes);
	if (err)
		return -err;
	stack->low = (uint64_t)low;
	stack->high = (uint64_t)low + size;
	return 0;
}

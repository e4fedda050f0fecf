/*
 * Stacks that the program has made itself, whose bounds nobody tells: large ones are read whole, up
 * to a bound for all of it and one for each frame.  One page below, at, and above both.
 *   run_fibers
 */
#include <alloca.h>

#include "arch.h"
#include "tests/unwind/walks.h"

#define PAGE	    4096UL
#define STACK_BYTES (4096 * PAGE)
#define STACK_PAGES 2048 /* that are read, with the first */
#define FRAME_PAGES 64	 /* that are read at once */
#define FRAMES	    200
#define PIECE	    32 /* pages of a frame */

WALKED_STACK;
static ucontext_t own, other, context;
static char *memory;
static unsigned pages_wanted;
static bool one_frame, good = true;

/* Pages from that of the address to the last of the stack. */
static unsigned pages_from(const void *address)
{
	return (unsigned)(((uint64_t)memory + STACK_BYTES) / PAGE - 1 - (uint64_t)address / PAGE);
}

static void judge(bool whole, unsigned pages)
{
	static uint64_t pcs[FRAMES];
	struct unwind_result result;

	context.uc_stack.ss_flags = SS_DISABLE;
	for (unsigned i = 0; i < 3; i++) { /* anew, with the memo, and once more */
		unwind_walk(&context, &stack, pcs, FRAMES, &result);
		if (result.end == (whole ? UNWIND_LAST : UNWIND_BOUNDS))
			continue;
		printf("%u pages, %s: depth %u end %d\n", pages, one_frame ? "one frame" : "frames",
		       result.depth, (int)result.end);
		good = false;
	}
}

/* The walk reads the page of the stack pointer, then that of this function's return address. */
static __attribute__((noinline)) void check(void)
{
	unsigned pages, leap = pages_from((char *)__builtin_frame_address(0) + 8);

	getcontext(&context);
	pages = pages_from((void *)machine_registers(&context)[MACHINE_SP]);
	if (one_frame)
		judge(leap <= FRAME_PAGES, leap);
	else
		judge(pages < STACK_PAGES, pages);
}

static __attribute__((noinline)) unsigned descend(unsigned levels)
{
	unsigned left = pages_wanted - pages_from(__builtin_frame_address(0));
	volatile char *room = alloca((left < PIECE ? left : PIECE) * PAGE + 16);

	room[0] = 1;
	if (left > PIECE)
		return descend(levels + 1) + (unsigned)room[0];
	check();
	return levels + (unsigned)room[0];
}

static __attribute__((noinline)) unsigned leap(void)
{
	volatile char *room = alloca(pages_wanted * PAGE - PAGE / 2);

	room[0] = 1;
	check();
	return (unsigned)room[0];
}

static void first(void)
{
	unsigned sink = one_frame ? leap() : descend(0);

	__asm__ volatile("" : : "r"(sink));
}

static void run(unsigned pages)
{
	pages_wanted = pages;
	memo.useful = false;
	context_on(&other, memory, STACK_BYTES, first, &own);
	swapcontext(&own, &other);
}

int main(void)
{
	static const unsigned frames[] = { 1,	 10,   60,   63,   64,	 65,   100, 1000,
					   2000, 2046, 2047, 2048, 2049, 3000, 4000 };
	static const unsigned one[] = { 1, 2, 30, 62, 63, 65, 66, 100, 1000 };

	memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED || unwind_start() || unwind_stack_of_thread(&stack))
		return 1;
	for (unsigned i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
		run(frames[i]);
	one_frame = true;
	for (unsigned i = 0; i < sizeof(one) / sizeof(one[0]); i++)
		run(one[i]);
	if (good)
		puts("run_fibers: end");
	return !good;
}

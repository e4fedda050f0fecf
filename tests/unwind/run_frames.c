/*
 * Where frames lie: what a function keeps on its stack is between the stack pointer and the CFA of
 * its frame, in a walk that goes from frame to frame and in one that knows the last walk.
 *   run_frames
 */
#define FRAMES	   100
#define DEPTH	   30
#define FEW	   7
#define MADE_BYTES (1UL << 20)

#include "tests/unwind/frames.h"

WALKED_STACK;
static struct unwind_stack anew;
static uint64_t kept[DEPTH], cfa[DEPTH]; /* of each function, outermost first */
static bool good = true;

static void check(const char *what, bool holds)
{
	if (!holds)
		printf("wrong: %s\n", what);
	good &= holds;
}

static void check_bounds(const struct walk *walk)
{
	unsigned depth = walk->result.depth;
	uint64_t high = walk->frames.range.low + walk->frames.range.last * 8 + 8;

	check("the walk is complete", walk->result.end == UNWIND_LAST && depth > DEPTH);
	for (unsigned i = 1; i <= DEPTH; i++) {
		uint64_t at = kept[DEPTH - i];

		check("a CFA is the next frame's stack pointer",
		      walk->sps[i + 1] == cfa[DEPTH - i]);
		check("a variable is in its frame", at >= walk->sps[i] && at < walk->sps[i + 1]);
		check("a frame can be read",
		      walk->sps[i] >= walk->frames.range.low && walk->sps[i + 1] <= high);
	}
	check("the outermost frame is empty", walk->sps[depth] == walk->sps[depth - 1]);
	check("no more is written", walk->sps[depth + 1] == IN_VAIN);
}

static __attribute__((noinline)) void walk_all(void)
{
	static struct walk first, again, cut;
	static uint64_t pcs[FRAMES];
	struct unwind_result result;
	ucontext_t context;

	CONTEXT_HERE(&context);
	take(&first, &context, &anew, FRAMES);
	check_bounds(&first);
	for (unsigned i = 0; i < 3; i++) { /* fills the memo, uses it */
		take(&again, &context, &stack, FRAMES);
		check("a walk that knows the last one says the same", is_same(&first, &again));
	}
	for (unsigned i = 0; i < 2; i++) {
		take(&cut, &context, i ? &stack : &anew, FEW);
		check("a cut walk is cut", cut.result.depth == FEW && cut.result.end == UNWIND_MAX);
		check("a cut walk knows the last CFA",
		      !memcmp(cut.sps, first.sps, (FEW + 1) * sizeof(uint64_t)));
		check("a cut walk writes no more", cut.sps[FEW + 1] == IN_VAIN);
	}
	unwind_walk(&context, &stack, pcs, FRAMES, &result);
	check("a walk that is not asked finds the same frames",
	      result.depth == first.result.depth &&
		      !memcmp(pcs, first.pcs, result.depth * sizeof(uint64_t)));
}

/* A stack pointer that lies in the thread's stack, where nothing can be read. */
static void walk_unmapped(void)
{
	static struct walk walk;
	_Atomic uint64_t seen;
	struct unwind_stack made = { .seen = &seen };
	ucontext_t context;
	uint64_t sp;
	void *memory = mmap(NULL, MADE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check("there is memory", memory != MAP_FAILED);
	made.low = (uint64_t)(uintptr_t)memory;
	made.high = seen = made.low + MADE_BYTES;
	sp = made.low + MADE_BYTES / 2;
	CONTEXT_HERE(&context);
#ifdef __x86_64__
	context.uc_mcontext.gregs[REG_RSP] = (long long)sp;
#else
	context.uc_mcontext.sp = sp;
#endif
	take(&walk, &context, &made, FRAMES);
	check("there is no stack to walk", walk.result.end == UNWIND_BOUNDS);
	check("memory that cannot be read is in no range",
	      !unwind_range_holds(&walk.frames.range, sp));
	munmap(memory, MADE_BYTES);
}

static __attribute__((noinline, noclone)) void go_down(unsigned level)
{
	volatile char variable[64];

	variable[level % 64] = 1;
	kept[level] = (uint64_t)(uintptr_t)&variable[level % 64];
	cfa[level] = (uint64_t)(uintptr_t)__builtin_dwarf_cfa();
	if (level + 1 < DEPTH)
		go_down(level + 1);
	else
		walk_all();
	variable[level % 64] = 2; /* no tail call */
}

int main(void)
{
	if (unwind_start() || unwind_stack_of_thread(&stack))
		return 1;
	anew = stack;
	anew.memo = NULL;
	go_down(0);
	walk_unmapped();
	if (good)
		puts("run_frames: end");
	return !good;
}

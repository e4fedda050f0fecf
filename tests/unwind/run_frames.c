/*
 * Where frames lie: what a function keeps on its stack is between the stack pointer and the CFA of
 * its frame, in a walk that goes from frame to frame and in one that knows the last walk.
 * The bounds of a walk, each one below, at it and one above: the steps of a memo, and the room for
 * frames.  A walk that knows the last walk and one that knows nothing find the same frames at every
 * depth.
 *   run_frames
 */
#include "arch.h"
#include "tests/unwind/walks.h"

#define DEPTH	   30
#define FEW	   7
#define MADE_BYTES (1UL << 20)
#define AROUND	   20 /* depths on both sides of a bound */
#define DEEP	   1000
#define DEEPEST	   10000
#define FRAMES	   (DEEPEST + 100)
#define IN_VAIN	   0x5555555555555555ULL /* where nothing was written */

struct walk {
	uint64_t pcs[FRAMES];
	uint64_t sps[FRAMES + 2];
	struct unwind_frames frames;
	struct unwind_result result;
};

static void take(struct walk *walk, const ucontext_t *context, const struct unwind_stack *from,
		 unsigned max)
{
	memset(walk, 0x55, sizeof(*walk));
	walk->frames.sps = walk->sps;
	unwind_walk_frames(context, from, walk->pcs, &walk->frames, max, &walk->result);
}

static bool is_same(const struct walk *one, const struct walk *other)
{
	return one->result.depth == other->result.depth && one->result.end == other->result.end &&
	       one->result.end_pc == other->result.end_pc &&
	       !memcmp(one->pcs, other->pcs, sizeof(one->pcs)) &&
	       !memcmp(one->sps, other->sps, sizeof(one->sps));
}

WALKED_STACK;
static struct unwind_stack anew;
static uint64_t kept[DEPTH], cfa[DEPTH]; /* of each function, outermost first */
static struct walk knowing, ignorant;
static unsigned level, compared;
static bool good = true;

static void check(const char *what, bool holds)
{
	if (!holds)
		printf("wrong at depth %u: %s\n", level, what);
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

static __attribute__((noinline)) void walk_here(void)
{
	static struct walk cut;
	static uint64_t pcs[FRAMES];
	struct unwind_result result;
	ucontext_t context;

	CONTEXT_HERE(&context);
	take(&ignorant, &context, &anew, FRAMES);
	check_bounds(&ignorant);
	for (unsigned i = 0; i < 3; i++) { /* fills the memo, uses it */
		take(&knowing, &context, &stack, FRAMES);
		check("a walk that knows the last one says the same", is_same(&ignorant, &knowing));
	}
	for (unsigned i = 0; i < 2; i++) {
		take(&cut, &context, i ? &stack : &anew, FEW);
		check("a cut walk is cut", cut.result.depth == FEW && cut.result.end == UNWIND_MAX);
		check("a cut walk knows the last CFA",
		      !memcmp(cut.sps, ignorant.sps, (FEW + 1) * sizeof(uint64_t)));
		check("a cut walk writes no more", cut.sps[FEW + 1] == IN_VAIN);
	}
	unwind_walk(&context, &stack, pcs, FRAMES, &result);
	check("a walk that is not asked finds the same frames",
	      result.depth == ignorant.result.depth &&
		      !memcmp(pcs, ignorant.pcs, result.depth * sizeof(uint64_t)));
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
	machine_registers(&context)[MACHINE_SP] = sp;
	take(&walk, &context, &made, FRAMES);
	check("there is no stack to walk", walk.result.end == UNWIND_BOUNDS);
	check("memory that cannot be read is in no range",
	      !unwind_range_holds(&walk.frames.range, sp));
	munmap(memory, MADE_BYTES);
}

static __attribute__((noinline, noclone)) void keep_in_each(unsigned number)
{
	volatile char variable[64];

	variable[number % 64] = 1;
	kept[number] = (uint64_t)(uintptr_t)&variable[number % 64];
	cfa[number] = (uint64_t)(uintptr_t)__builtin_dwarf_cfa();
	if (number + 1 < DEPTH)
		keep_in_each(number + 1);
	else
		walk_here();
	variable[number % 64] = 2; /* no tail call */
}

static void compare(unsigned max, enum unwind_end end)
{
	ucontext_t context;

	CONTEXT_HERE(&context);
	take(&ignorant, &context, &anew, max);
	check("the walk ends where it must", ignorant.result.end == end);
	take(&knowing, &context, &stack, max);
	check("a walk that knows the last one says the same", is_same(&knowing, &ignorant));
	compared++;
}

/* Two leaves: the memo of one walk is met by another that begins elsewhere. */
static __attribute__((noinline)) void one_leaf(void)
{
	compare(FRAMES, UNWIND_LAST);
	__asm__ volatile("");
}

static __attribute__((noinline)) void other_leaf(void)
{
	volatile char room[200];

	room[0] = 1;
	compare(FRAMES, UNWIND_LAST);
	room[1] = room[0];
}

static void walk_all(void)
{
	unsigned depth;

	memo.useful = false;
	one_leaf();
	one_leaf();
	other_leaf();
	one_leaf();
	compare(FRAMES, UNWIND_LAST);
	depth = ignorant.result.depth;
	for (unsigned i = 0; i < 2; i++) {
		memo.useful = false;
		for (unsigned j = 0; j < 2; j++)
			compare(depth - i, i ? UNWIND_MAX : UNWIND_LAST);
	}
	compare(depth + 1, UNWIND_LAST);
}

static bool is_near(unsigned bound)
{
	return level + AROUND > bound && level < bound + AROUND;
}

static __attribute__((noinline, noclone)) unsigned go_down(unsigned depth)
{
	volatile unsigned own = depth;

	level = depth;
	if (level < 3 || is_near(UNWIND_MEMO_STEPS) || is_near(DEEP) || level == DEEPEST)
		walk_all();
	return depth < DEEPEST ? go_down(depth + 1) + own : own;
}

int main(void)
{
	if (unwind_start() || unwind_stack_of_thread(&stack))
		return 1;
	anew = stack;
	anew.memo = NULL;
	keep_in_each(0);
	walk_unmapped();
	go_down(0);
	printf("compared %u\n", compared);
	if (good)
		puts("run_frames: end");
	return !good;
}

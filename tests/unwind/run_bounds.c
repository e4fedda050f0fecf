/*
 * The bounds of a walk, each one below, at it and one above: the steps of a memo, and the room for
 * frames.  A walk that knows the last walk and one that knows nothing find the same frames at every
 * depth.
 *   run_bounds
 */
#define AROUND	20 /* depths on both sides of a bound */
#define DEEP	1000
#define DEEPEST 10000
#define FRAMES	(DEEPEST + 100)

#include "tests/unwind/frames.h"

WALKED_STACK;
static struct unwind_stack anew;
static struct walk knowing, ignorant;
static unsigned compared;
static bool good = true;

static void check(const char *what, unsigned level, bool holds)
{
	if (!holds)
		printf("wrong at depth %u: %s\n", level, what);
	good &= holds;
}

static void compare(unsigned level, unsigned max, enum unwind_end end)
{
	ucontext_t context;

	CONTEXT_HERE(&context);
	take(&ignorant, &context, &anew, max);
	check("the walk ends elsewhere", level, ignorant.result.end == end);
	take(&knowing, &context, &stack, max);
	check("a walk that knows the last one differs", level, is_same(&knowing, &ignorant));
	compared++;
}

/* Two leaves: the memo of one walk is met by another that begins elsewhere. */
static __attribute__((noinline)) void one_leaf(unsigned level)
{
	compare(level, FRAMES, UNWIND_LAST);
	__asm__ volatile("");
}

static __attribute__((noinline)) void other_leaf(unsigned level)
{
	volatile char room[200];

	room[0] = 1;
	compare(level, FRAMES, UNWIND_LAST);
	room[1] = room[0];
}

static void walk_all(unsigned level)
{
	unsigned depth;

	memo.useful = false;
	one_leaf(level);
	one_leaf(level);
	other_leaf(level);
	one_leaf(level);
	compare(level, FRAMES, UNWIND_LAST);
	depth = ignorant.result.depth;
	for (unsigned i = 0; i < 2; i++) {
		memo.useful = false;
		for (unsigned j = 0; j < 2; j++)
			compare(level, depth - i, i ? UNWIND_MAX : UNWIND_LAST);
	}
	compare(level, depth + 1, UNWIND_LAST);
}

static bool is_near(unsigned level, unsigned bound)
{
	return level + AROUND > bound && level < bound + AROUND;
}

static __attribute__((noinline, noclone)) unsigned go_down(unsigned level, unsigned to)
{
	volatile unsigned kept = level;

	if (level < 3 || is_near(level, UNWIND_MEMO_STEPS) || is_near(level, DEEP) || level == to)
		walk_all(level);
	return level < to ? go_down(level + 1, to) + kept : kept;
}

int main(void)
{
	if (unwind_start() || unwind_stack_of_thread(&stack))
		return 1;
	anew = stack;
	anew.memo = NULL;
	go_down(0, DEEPEST);
	printf("compared %u\n", compared);
	if (good)
		puts("run_bounds: end");
	return !good;
}

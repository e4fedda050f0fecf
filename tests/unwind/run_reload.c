/*
 * A library is unloaded and another is loaded at its place, with another frame size at the same
 * addresses.  With unwind_forget() after each dlclose no walk is wrong; without it, asked for by
 * the argument "remember", old rules are believed, which shows that the test can see them.
 */
#include "tests/unwind/chain.h"
#include "tests/unwind/walks.h"

#define CYCLES 40
#define FRAMES 64

typedef void through_fn(void (*function)(struct chain *chain), struct chain *chain);

WALKED_STACK;
static unsigned verdicts[3];

static void leaf(struct chain *chain)
{
	struct unwind_result result;
	uint64_t pcs[FRAMES];

	chain_walk(&stack, pcs, FRAMES, &result);
	/* a rule that leads to no code is noticed, and the walk guesses */
	verdicts[chain_find(chain, pcs, result.depth) && result.end == UNWIND_LAST &&
				 !result.guessed
			 ? CHAIN_RIGHT
			 : CHAIN_WRONG]++;
}

/* At the end of a chain, the library calls leaf() from a frame of its own. */
static void through(struct chain *chain)
{
	through_fn *function = (through_fn *)(uintptr_t)chain->argument;

	function(leaf, chain);
	__asm__ volatile("" ::: "memory");
}

static uintptr_t cycle(const char *program, const char *library, bool remember)
{
	static struct chain chain = { .leaf = through };
	void *handle = load_beside(program, library);
	void *function = function_of(handle, "reload_through");

	chain.argument = function;
	chain_run(&chain, 6, 1);
	dlclose(handle);
	if (!remember)
		unwind_forget();
	return (uintptr_t)function;
}

int main(int count, char **arguments)
{
	bool remember = count > 1 && !strcmp(arguments[1], "remember");
	uintptr_t at[2] = { 0, 0 };
	unsigned same = 0;

	if (unwind_start() || unwind_stack_of_thread(&stack))
		return 99;
	for (unsigned i = 0; i < CYCLES; i++) {
		at[i & 1] = cycle(arguments[0], i & 1 ? "reload_1.so" : "reload_0.so", remember);
		same += at[0] == at[1];
	}
	printf("right %u wrong %u same-place %u\n", verdicts[CHAIN_RIGHT], verdicts[CHAIN_WRONG],
	       same);
	if (same < CYCLES / 2)
		return 1;
	if (remember ? !verdicts[CHAIN_WRONG] : verdicts[CHAIN_WRONG])
		return 1;
	puts("run_reload: end");
	return 0;
}

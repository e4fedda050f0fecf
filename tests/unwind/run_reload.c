/*
 * A library is unloaded and another is loaded at its place, with another frame size at the same
 * addresses.  With unwind_forget() after each dlclose no walk is wrong; without it, asked for by
 * the argument "remember", old rules are believed, which shows that the test can see them.
 */
#include "runtime/sample/unwind/unwind.h"
#include "tests/unwind/chain.h"

#define CYCLES 40
#define FRAMES 64

typedef void through_fn(void (*function)(struct chain *chain), struct chain *chain);

static struct unwind_memo memo;
static struct unwind_stack stack = { .memo = &memo };
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

static uintptr_t cycle(const char *library, unsigned seed, bool remember)
{
	static struct chain chain;
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	void *function = handle ? dlsym(handle, "reload_through") : NULL;

	if (!function) {
		fprintf(stderr, "%s\n", dlerror());
		exit(99);
	}
	chain.leaf = through;
	chain.argument = function;
	chain_run(&chain, 6, seed);
	dlclose(handle);
	if (!remember)
		unwind_forget();
	return (uintptr_t)function;
}

int main(int count, char **arguments)
{
	bool remember = count > 1 && !strcmp(arguments[1], "remember");
	char library[2][4096];
	uintptr_t at[2] = { 0, 0 };
	unsigned same = 0;

	for (unsigned i = 0; i < 2; i++)
		snprintf(library[i], sizeof(library[i]), "%.*s/reload_%u.so",
			 (int)(strrchr(arguments[0], '/') - arguments[0]), arguments[0], i);
	if (unwind_start() || unwind_stack_of_thread(&stack))
		return 99;
	for (unsigned i = 0; i < CYCLES; i++) {
		at[i & 1] = cycle(library[i & 1], 1, remember);
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

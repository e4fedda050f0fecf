/*
 * A library is unloaded and another is loaded at its place, with another frame size at the same
 * addresses.  With unwind_forget() after each dlclose no walk is wrong; without it, asked for by
 * the argument "remember", old rules are believed, which shows that the test can see them.
 * A child that loads another library where its parent has one does not believe the parent's rules,
 * nor the parent the child's.
 *   run_reload [remember|child]
 */
#include "runtime/sample/cfi/unwind_lock.h"
#include "tests/unwind/chain.h"
#include "tests/unwind/walks.h"

#define CHILDREN 20
#define CYCLES	 40
#define FRAMES	 64

typedef void through_fn(void (*function)(struct chain *chain), struct chain *chain);

WALKED_STACK;
static bool right; /* the last walk */

static void leaf(struct chain *chain)
{
	struct unwind_result result;
	uint64_t pcs[FRAMES];

	chain_walk(&stack, pcs, FRAMES, &result);
	/* a rule that leads to no code is noticed, and the walk guesses */
	right = chain_find(chain, pcs, result.depth) && result.end == UNWIND_LAST &&
		!result.guessed;
}

/* At the end of a chain, the library calls leaf() from a frame of its own. */
static void through(struct chain *chain)
{
	((through_fn *)(uintptr_t)chain->argument)(leaf, chain);
	__asm__ volatile("" ::: "memory");
}

/* Returns true if a walk through a library's function is right. */
static bool is_right(void *function)
{
	static struct chain chain = { .leaf = through };

	chain.argument = function;
	chain_run(&chain, 6, 1);
	return right;
}

static void *load_one(const char *program, unsigned which, void **handle)
{
	*handle = load_beside(program, which ? "reload_1.so" : "reload_0.so");
	return function_of(*handle, "reload_through");
}

/* Returns true if old rules were believed only where they are not forgotten. */
static bool replace(const char *program, bool remember)
{
	unsigned wrong = 0, same = 0;
	void *at[2] = { NULL, NULL }, *handle;

	for (unsigned i = 0; i < CYCLES; i++) {
		at[i & 1] = load_one(program, i & 1, &handle);
		wrong += !is_right(at[i & 1]);
		dlclose(handle);
		if (!remember)
			unwind_forget();
		same += at[0] == at[1];
	}
	printf("wrong %u same-place %u of %u\n", wrong, same, CYCLES);
	return same >= CYCLES / 2 && remember == (wrong > 0);
}

/* Returns 0, or 1 if a walk of the child is wrong; 2: the other library is elsewhere. */
static int replace_in_child(const char *program, void *handle, const void *function)
{
	pid_t child = fork();
	int status;
	void *other;

	if (child)
		return waitpid(child, &status, 0) == child && WIFEXITED(status)
			       ? WEXITSTATUS(status)
			       : 1;
	dlclose(handle);
	unwind_forget();
	other = load_one(program, 1, &handle);
	_exit(!is_right(other) ? 1 : (other == function ? 0 : 2));
}

static bool replace_in_children(const char *program)
{
	unsigned replaced[3] = { 0 }, wrong;
	void *handle, *function = load_one(program, 0, &handle);

	stack.memo = NULL; /* rules alone */
	pthread_atfork(unwind_lock_for_fork, unwind_lock_after_fork, unwind_lock_after_fork);
	wrong = !is_right(function);
	for (unsigned i = 0; i < CHILDREN; i++) {
		replaced[replace_in_child(program, handle, function)]++;
		wrong += !is_right(function);
	}
	wrong += replaced[1];
	printf("replaced %u elsewhere %u wrong %u\n", replaced[0], replaced[2], wrong);
	return !wrong && replaced[0] >= CHILDREN / 2;
}

int main(int count, char **arguments)
{
	const char *how = count > 1 ? arguments[1] : "";

	if (unwind_start() || unwind_stack_of_thread(&stack))
		return 99;
	if (strcmp(how, "child") != 0 ? !replace(arguments[0], !strcmp(how, "remember"))
				      : !replace_in_children(arguments[0]))
		return 1;
	puts("run_reload: end");
	return 0;
}

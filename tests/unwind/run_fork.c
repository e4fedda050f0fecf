/*
 * A child of fork knows the rules that its parent found.  The number of rules asked of libunwind is
 * exact: none for a stack that the parent has walked, also if other threads of the parent ask at
 * that moment; as many as the parent asked once all are forgotten, as after dlclose, by the parent
 * or by the child.  A child that loads another library where its parent has one does not believe
 * the parent's rules, nor the parent the child's.
 */
#include "arch.h"
#include "runtime/sample/cfi/unwind_lock.h"
#include "tests/unwind/chain.h"
#include "tests/unwind/walks.h"

#define CHILDREN  20
#define FRAMES	  64
#define DEPTH	  30
#define THREADS	  3
#define ADDRESSES 300 /* of each thread: too few to push out a rule of the chain's */
#define STRANGE	  255 /* instead of a number of rules: the walk was wrong */

enum asker { PARENT, CHILD, FORGETFUL_CHILD };

typedef void through_fn(void (*function)(struct chain *chain), struct chain *chain);

static struct unwind_stack stack;
static _Atomic bool over;
static unsigned wrong;

static unsigned status_of(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return STRANGE;
	return (unsigned)WEXITSTATUS(status);
}

/* Returns how many rules a walk asks for.  All walks start from one place, which has a rule too. */
static __attribute__((noinline)) unsigned ask(struct chain *chain, enum asker asker)
{
	pid_t child = asker == PARENT ? 0 : fork();
	struct unwind_result result;
	uint64_t pcs[FRAMES];
	unsigned asked;

	if (child)
		return status_of(child);
	if (asker == FORGETFUL_CHILD)
		unwind_forget();
	chain_walk(&stack, pcs, FRAMES, &result);
	asked = chain_check(chain, pcs, &result) == CHAIN_RIGHT ? result.misses : STRANGE;
	if (asker == PARENT)
		return asked;
	_exit((int)asked);
}

static void compare(const char *who, unsigned asked, unsigned expected)
{
	if (asked == expected)
		return;
	printf("%s asked for %u rules, not %u\n", who, asked, expected);
	wrong++;
}

/* Walks from addresses of libc, each of which has a rule of its own. */
static void *ask_on(void *argument)
{
	const uint64_t first = (uint64_t)qsort + (uint64_t)(uintptr_t)argument * ADDRESSES * 8;
	uint64_t words[256] = { 0 }, pc;
	struct unwind_result result;
	struct unwind_stack own;
	ucontext_t context;

	if (unwind_stack_of_thread(&own))
		return NULL;
	CONTEXT_HERE(&context);
	machine_registers(&context)[MACHINE_SP] = (uint64_t)words;
	for (unsigned i = 0; !over; i = (i + 1) % ADDRESSES) {
		machine_registers(&context)[MACHINE_PC] = first + (uint64_t)i * 8;
		unwind_walk(&context, &own, &pc, 1, &result);
	}
	return NULL;
}

static void ask_beside_threads(struct chain *chain)
{
	pthread_t thread[THREADS];
	uintptr_t started = 0;

	while (started < THREADS &&
	       !pthread_create(&thread[started], NULL, ask_on, (void *)started)) /* NOLINT */
		started++;
	for (unsigned i = 0; i < CHILDREN; i++)
		compare("a child of a parent with threads", ask(chain, CHILD), 0);
	over = true;
	while (started)
		pthread_join(thread[--started], NULL);
}

static void leaf(struct chain *chain)
{
	unsigned first = ask(chain, PARENT);

	printf("a stack of %u functions: %u rules\n", chain->depth, first);
	wrong += first < 5 || first == STRANGE;
	compare("a child of a parent that knows", ask(chain, CHILD), 0);
	compare("a child that forgot", ask(chain, FORGETFUL_CHILD), first);
	compare("a parent whose child forgot", ask(chain, PARENT), 0);
	unwind_forget();
	compare("a child of a parent that forgot", ask(chain, CHILD), first);
	compare("a parent that forgot", ask(chain, PARENT), first);
	ask_beside_threads(chain);
}

static bool through_right;

static void through_leaf(struct chain *chain)
{
	struct unwind_result result;
	uint64_t pcs[FRAMES];

	chain_walk(&stack, pcs, FRAMES, &result);
	through_right = chain_find(chain, pcs, result.depth) && result.end == UNWIND_LAST &&
			!result.guessed;
}

static void through(struct chain *chain)
{
	((through_fn *)(uintptr_t)chain->argument)(through_leaf, chain);
	__asm__ volatile("" ::: "memory");
}

/* Returns true if a walk through a library's function is right. */
static bool is_right(void *function)
{
	static struct chain chain = { .leaf = through };

	chain.argument = function;
	chain_run(&chain, 6, 1);
	return through_right;
}

/* A child has another library where its parent has its own.  Returns 0, or 1 if a walk is wrong; 2:
 * the other library is elsewhere. */
static unsigned replace_in_child(const char *program, void *handle, const void *function)
{
	pid_t child = fork();
	void *other;

	if (child)
		return status_of(child);
	dlclose(handle);
	unwind_forget();
	other = function_of(load_beside(program, "reload_1.so"), "reload_through");
	_exit(!is_right(other) ? 1 : (other == function ? 0 : 2));
}

int main(int count, char **arguments)
{
	static struct chain chain = { .leaf = leaf };
	unsigned replaced[3] = { 0 };
	void *handle, *function;

	if (!count || unwind_start() || unwind_stack_of_thread(&stack))
		return 99;
	pthread_atfork(unwind_lock_for_fork, unwind_lock_after_fork, unwind_lock_after_fork);
	chain_run(&chain, DEPTH, 5);
	handle = load_beside(arguments[0], "reload_0.so");
	function = function_of(handle, "reload_through");
	wrong += !is_right(function);
	for (unsigned i = 0; i < CHILDREN; i++) {
		unsigned status = replace_in_child(arguments[0], handle, function);

		replaced[status < 3 ? status : 1]++;
		wrong += !is_right(function);
	}
	printf("replaced %u elsewhere %u wrong %u\n", replaced[0], replaced[2], replaced[1]);
	if (wrong || replaced[1] || replaced[0] < CHILDREN / 2)
		return 1;
	puts("run_fork: end");
	return 0;
}

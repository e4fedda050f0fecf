/*
 * A child of fork knows the rules that its parent found.  The number of rules asked of libunwind is
 * exact: none for a stack that the parent has walked, also if other threads of the parent ask at
 * that moment; as many as the parent asked once all are forgotten, as after dlclose, by the parent
 * or by the child.
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

	ask(chain, PARENT); /* this function has a rule, too */
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

int main(void)
{
	static struct chain chain = { .leaf = leaf };

	if (unwind_start() || unwind_stack_of_thread(&stack))
		return 99;
	pthread_atfork(unwind_lock_for_fork, unwind_lock_after_fork, unwind_lock_after_fork);
	chain_run(&chain, DEPTH, 5);
	printf("wrong %u\n", wrong);
	if (wrong)
		return 1;
	puts("run_fork: end");
	return 0;
}

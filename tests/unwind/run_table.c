/*
 * Six threads walk through a table of 128 rules while it is forgotten all the time.  Entries are
 * torn, evicted and stale as often as possible, and no walk may be wrong.
 *   run_table [WALKS]
 */
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/unwind/unwind.h"
#include "tests/unwind/chain.h"

#define THREADS	     6
#define LOG_ENTRIES  7
#define FRAMES	     128
#define FORGET_EVERY 7
#define ALONE	     20

static unsigned walks = 30000;
static _Atomic unsigned long verdicts[3];
static _Atomic unsigned long misses;
static _Atomic unsigned long strange; /* cut for another reason than that others were asking */

static void leaf(struct chain *chain)
{
	const struct unwind_stack *stack = chain->argument;
	struct unwind_result result;
	uint64_t pcs[FRAMES];
	enum chain_verdict verdict;

	chain_walk(stack, pcs, FRAMES, &result);
	verdict = chain_check(chain, pcs, &result);
	atomic_fetch_add(&verdicts[verdict], 1);
	if (verdict == CHAIN_CUT && result.end != UNWIND_BUSY)
		atomic_fetch_add(&strange, 1);
	atomic_fetch_add(&misses, result.misses);
}

static void *walk(void *argument)
{
	uint32_t seed = (uint32_t)(uintptr_t)argument;
	static _Thread_local struct unwind_memo memo;
	static _Thread_local struct unwind_stack stack;
	static _Thread_local struct chain chain;

	stack.memo = &memo;
	if (unwind_stack_of_thread(&stack))
		abort();
	chain.leaf = leaf;
	chain.argument = &stack;
	for (unsigned i = 0; i < walks; i++) {
		chain_run(&chain, 5 + i % 30, seed + i % 300 * 7919);
		if (i % FORGET_EVERY == 0)
			unwind_forget();
	}
	return NULL;
}

/* While no other thread asks, no walk is cut. */
static bool is_right_alone(void)
{
	static struct chain chain = { .leaf = leaf };
	static struct unwind_stack stack;
	unsigned long before = verdicts[CHAIN_RIGHT];

	if (unwind_stack_of_thread(&stack))
		return false;
	chain.argument = &stack;
	for (unsigned i = 0; i < ALONE; i++) {
		unwind_forget();
		chain_run(&chain, 30, i * 7919);
	}
	return verdicts[CHAIN_RIGHT] == before + ALONE;
}

int main(int count, char **arguments)
{
	pthread_t threads[THREADS];

	if (count > 1)
		walks = (unsigned)strtoul(arguments[1], NULL, 0);
	if (unwind_start() || rule_table_open(LOG_ENTRIES))
		return 99;
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, walk, (void *)(i + 1)))
			return 99;
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("right %lu cut %lu wrong %lu misses %lu\n", verdicts[CHAIN_RIGHT],
	       verdicts[CHAIN_CUT], verdicts[CHAIN_WRONG], misses);
	if (verdicts[CHAIN_WRONG] || strange || !misses || !is_right_alone())
		return 1;
	puts("run_table: end");
	return 0;
}

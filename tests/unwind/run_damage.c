/*
 * Unwind information that was overwritten at random, or whose pages cannot be read any more,
 * costs frames and never the process.
 *   run_damage [QUESTIONS]
 */
#include "tests/unwind/eh_table.h"

static struct eh_table victim;
WALKED_STACK;

static int protect(int protection)
{
	return mprotect((void *)victim.low, victim.bytes, protection);
}

/* A walk whose leaf is anywhere in the damaged library. */
static bool ask(void)
{
	return leaf_walks(&stack, victim.code + random_below(victim.code_bytes));
}

int main(int count, char **arguments)
{
	unsigned long questions = count > 1 ? strtoul(arguments[1], NULL, 0) : 100000;
	uint8_t *table, *whole;
	size_t bytes;

	if (!eh_table_load("libz.so.1", &victim)) {
		puts("skip: libz.so.1 is not installed, or has no table of unwind information");
		return 77;
	}
	if (unwind_start() || unwind_stack_of_thread(&stack))
		return 99;
	if (protect(PROT_NONE) || !ask())
		return 1;
	unwind_forget();
	if (protect(PROT_READ | PROT_WRITE))
		return 99;
	table = (uint8_t *)(uintptr_t)victim.header;
	bytes = victim.low + victim.bytes - (uint64_t)table;
	whole = malloc(bytes);
	memcpy(whole, table, bytes);
	for (unsigned long i = 0; i < questions; i++) {
		if (i % 64 == 0)
			memcpy(table, whole, bytes);
		table[random_below(i % 2 ? 512 : bytes)] = (uint8_t)random_below(256);
		unwind_forget();
		if (!ask())
			return 1;
	}
	puts("run_damage: end");
	return 0;
}

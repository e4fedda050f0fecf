/*
 * A signal stack in memory of malloc's that is freed and stays registered, in main and in a thread,
 * while the thread computes.  Prints how many bytes of the freed memory another than the program
 * wrote to, and what sigaltstack(2) says.
 *   freed_stack MILLISECONDS BYTES
 */
#include <malloc.h>

#include "tests/preload/targets/target.h"

#define PAINT	   0xa5
#define MMAP_BYTES (128UL << 10) /* malloc maps what is as large; its free unmaps that */
#define LINKS	   64		 /* of the chunk's two ends, which are free's own */

static uint64_t burn_ns;
static size_t bytes;

static size_t painted_over(const volatile unsigned char *memory)
{
	size_t changed = 0;

	for (size_t i = LINKS; i < bytes - LINKS; i++)
		changed += memory[i] != PAINT;
	return changed;
}

static void *run(void *unused)
{
	unsigned char *memory = malloc(bytes);
	char *after = malloc(64);		     /* the heap does not shrink */
	volatile uintptr_t kept = (uintptr_t)memory; /* the compiler must not know of it */
	stack_t stack = { .ss_sp = memory, .ss_size = bytes };

	memset(memory, PAINT, bytes);
	sigaltstack(&stack, NULL);
	work_burn(burn_ns / 2);
	memset(memory, PAINT, bytes);
	free(memory);
	work_burn(burn_ns);
	sigaltstack(NULL, &stack);
	printf("%zu bytes, flags %d, written %zu\n", stack.ss_size, stack.ss_flags,
	       bytes < MMAP_BYTES ? painted_over((void *)kept) : 0);
	fflush(stdout);
	free(after);
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	burn_ns = strtoull(argv[1], NULL, 10) * 1000000;
	bytes = strtoull(argv[2], NULL, 10);
	mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
	setvbuf(stdout, NULL, _IONBF, 0);
	run(NULL);
	run_threads(1, run, NULL);
	return 0;
}

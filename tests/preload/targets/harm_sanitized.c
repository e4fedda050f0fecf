/*
 * One fault of each kind that a sanitizer reports, in a child that leaves by _exit and in the
 * program itself: race, heap, leak, undefined, uninitialised; or none.
 */
#include "tests/preload/targets/target.h"

static int shared;
static int *volatile kept;
static volatile int zero;

static void burn(void)
{
	for (volatile long i = 0; i < 20000000; i++)
		;
}

static void *race(void *times)
{
	for (int i = 0; i < *(int *)times; i++)
		shared++;
	return NULL;
}

static void threads(int times)
{
	pthread_t thread;

	start_threads(&thread, 1, race, &times);
	race(&times);
	join_threads(&thread, 1);
}

static __attribute__((noinline)) void fault(const char *kind)
{
	int largest = 0x7fffffff, *block = malloc(4 * sizeof(int));

	if (!strcmp(kind, "race")) {
		threads(1000);
	} else if (!strcmp(kind, "heap")) {
		kept = block + zero;
		kept[4 + zero] = 1;
	} else if (!strcmp(kind, "leak")) {
		kept = malloc(100);
		kept = NULL;
	} else if (!strcmp(kind, "undefined")) {
		zero = largest + (zero + 1);
	} else if (!strcmp(kind, "uninitialised")) {
		kept = block;
		if (kept[1])
			printf("not zero\n");
	} else {
		threads(0);
	}
	free(block);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "none";
	pid_t child;

	burn();
	child = fork();
	if (!child) {
		burn();
		fault(kind);
		printf("flushed by some");
		_exit(3);
	}
	child = status_of(child);
	fault(kind);
	printf("child %x\n", (unsigned)child);
	return 4;
}

/*
 * Threads and libraries that come and go: each round starts a thread, which loads a library, calls
 * into it, and unloads it.  Other mappings made meanwhile move the library to another address.
 * Prints the number of mappings at the end.
 *   churn ROUNDS LIBRARY…
 */
#include "tests/preload/targets/target.h"

#define ROOM_BYTES 20480UL /* what the library takes, so that they fill the gaps */
#define PLACES	   61	   /* different ones, before the first comes again */

static const char *library;
static unsigned long rounds;

/* A sample in the library, whatever counts: its page is new, and it takes a while. */
static void *visit(void *round)
{
	void *room[PLACES];
	size_t rooms = (size_t)round % PLACES + 1;
	void (*touch)(char *page);
	void *handle;

	for (size_t i = 0; i < rooms; i++)
		room[i] = map_memory(ROOM_BYTES, PROT_READ | PROT_WRITE);
	handle = dlopen(library, RTLD_NOW);
	touch = handle ? (void (*)(char *))dlsym(handle, "churn_touch") : NULL;
	if (!touch) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	touch(room[0]);
	dlclose(handle);
	for (size_t i = 0; i < rooms; i++)
		munmap(room[i], ROOM_BYTES);
	return NULL;
}

int main(int argc, char **argv)
{
	rounds = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	for (unsigned long i = 0; i < rounds; i++) {
		library = argv[2 + i % (unsigned long)(argc - 2)];
		run_threads(1, visit, (void *)i);
	}
	printf("%d\n", lines_with("/proc/self/maps", "\n"));
	return 0;
}

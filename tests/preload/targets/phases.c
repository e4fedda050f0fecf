/*
 * A program that executes commands from standard input, one word a line: `before`, `during` and
 * `after` are functions that touch 100 pages for the first time each, `fork` goes on in a child.
 * It prints its pid when it starts, then a line when each is done.
 */
#include "tests/preload/targets/target.h"

#define PAGES 100
#define KEEP  __attribute__((noipa))

static char *next_page;

#define PHASE(name)                                      \
	KEEP void name(void)                             \
	{                                                \
		for (int i = 0; i < PAGES; i++)          \
			next_page[(size_t)i * 4096] = 1; \
		next_page += (size_t)PAGES * 4096;       \
	}

PHASE(before)
PHASE(during)
PHASE(after)

static void into_a_child(void)
{
	pid_t child = fork();

	if (child <= 0)
		return;
	child = status_of(child);
	exit(WEXITSTATUS(child));
}

int main(void)
{
	char word[32];

	next_page = map_memory((size_t)PAGES * 4096 * 16, PROT_READ | PROT_WRITE);
	if (next_page == MAP_FAILED ||
	    madvise(next_page, (size_t)PAGES * 4096 * 16, MADV_NOHUGEPAGE))
		return 1;
	printf("%d\n", getpid());
	fflush(stdout);
	while (scanf("%31s", word) == 1) {
		if (strcmp(word, "fork") == 0)
			into_a_child();
		else
			(word[0] == 'b' ? before : word[0] == 'd' ? during : after)();
		printf("%s\n", word);
		fflush(stdout);
	}
	return 0;
}

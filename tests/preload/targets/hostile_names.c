/* Functions and a thread whose names contain the separators of formats, and bytes that are not
 * text.  Prints its result, so that the compiler omits no call. */
#include "tests/preload/targets/target.h"

#define ROUNDS 60000000

int markup(int) __asm__("\"a<b>&amp;'c'\"");
int structure(int) __asm__("\"x;y z 7\"");
int bytes(int) __asm__("\"\xff\xc3(\xed\xa0\x80\"");

__attribute__((noinline)) int markup(int seed)
{
	unsigned value = (unsigned)seed;

	for (int i = 0; i < ROUNDS; i++)
		value = value * 1664525 + 1013904223;
	return (int)value;
}

__attribute__((noinline)) int structure(int seed)
{
	return markup(seed) + markup(seed + 1);
}

__attribute__((noinline)) int bytes(int seed)
{
	return structure(seed) - markup(seed + 2);
}

static void *run(void *seed)
{
	pthread_setname_np(pthread_self(), "\xff\"<&>;t 9");
	*(int *)seed = bytes(*(int *)seed);
	return NULL;
}

int main(int argc, char **argv)
{
	int seed = argc;

	(void)argv;
	run_threads(1, run, &seed);
	printf("%d\n", seed);
	return 0;
}

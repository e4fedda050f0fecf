/* Threads one after another, each with a little work.  short_threads NUMBER [WORK] */
#include "tests/preload/targets/target.h"

static unsigned long rounds = 100000;

static void *work(void *argument)
{
	WORK(rounds);
	return argument;
}

int main(int argc, char **argv)
{
	unsigned number = argc > 1 ? (unsigned)atoi(argv[1]) : 100;

	if (argc > 2)
		rounds = strtoul(argv[2], NULL, 10);
	for (unsigned i = 0; i < number; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, NULL)) {
			printf("thread %u could not be made\n", i);
			return 1;
		}
		pthread_join(thread, NULL);
	}
	puts("ok");
	return 0;
}

/*
 * A fixed amount of work, independent of time: MILLIONS of turns of a loop in each of THREADS
 * threads, and a system call after each 1,000.  `ready` is printed first, and `done` last.
 *   steady MILLIONS [THREADS]
 *   steady calls TURNS     a little work and a long system call, which takes most of the time
 */
#include "tests/preload/targets/target.h"

#define THREADS_MAX 64

static unsigned long millions;

static void *steady(void *unused)
{
	for (unsigned long i = 0; i < millions * 1000; i++) {
		WORK(1000);
		getppid();
	}
	return unused;
}

static void make_calls(unsigned turns)
{
	static char bytes[4 << 20];
	int fd = open("/dev/zero", O_RDONLY);

	while (turns--) {
		WORK(20000);
		if (read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			abort();
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "1";
	unsigned number = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	bool calls = !strcmp(what, "calls");
	pthread_t thread[THREADS_MAX];

	millions = strtoul(what, NULL, 10);
	if (!calls && number > THREADS_MAX)
		return 2;
	puts("ready");
	fflush(stdout);
	if (calls) {
		make_calls(number);
	} else {
		start_threads(thread, number - 1, steady, NULL);
		steady(NULL);
		join_threads(thread, number - 1);
	}
	puts("done");
	return 0;
}

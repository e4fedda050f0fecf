/* One sleep that lasts until the program is killed, and that the kernel continues after a stop of
 * the process (signal(7)):  stopped CALL
 * Says "waits" first, and then what ended the sleep, if anything did. */
#include <limits.h>
#include <semaphore.h>

#include "tests/preload/targets/target.h"

#define LONG_S 100000
#define FILES  900 /* the kernel looks at each before the thread sleeps */

static int by_nanosleep(void)
{
	struct timespec time = { .tv_sec = LONG_S };

	return nanosleep(&time, NULL);
}

static int by_poll(void)
{
	static struct pollfd files[FILES];
	int ends[2];

	if (pipe(ends))
		return 1;
	for (int i = 0; i < FILES; i++)
		files[i] = (struct pollfd){ .fd = i ? dup(ends[0]) : ends[0], .events = POLLIN };
	return poll(files, FILES, INT_MAX);
}

static int by_semaphore(void)
{
	struct timespec time;
	sem_t semaphore;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_sec += LONG_S;
	if (sem_init(&semaphore, 0, 0))
		return 1;
	return sem_timedwait(&semaphore, &time);
}

static const struct {
	const char *name;
	int (*wait)(void);
} calls[] = {
	{ "nanosleep", by_nanosleep },
	{ "poll", by_poll },
	{ "semaphore", by_semaphore },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < COUNT(calls); i++) {
		int result;

		if (strcmp(calls[i].name, argv[1]) != 0)
			continue;
		puts("waits");
		fflush(stdout);
		result = calls[i].wait();
		printf("%d, %s\n", result, strerror(errno));
		return 0;
	}
	return 2;
}

/* One call that waits until the program is killed, and that a stop of the process does not end
 * (signal(7)):  stopped CALL
 * Says "waits" first, and then what ended the call, if anything did. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LONG_S 100000
#define FILES  900 /* the kernel looks at each before the thread sleeps */

static struct pollfd files[FILES];
static fd_set set;

static int by_pause(void)
{
	return pause();
}

static int by_nanosleep(void)
{
	struct timespec time = { .tv_sec = LONG_S };

	return nanosleep(&time, NULL);
}

static int by_absolute_sleep(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_sec += LONG_S;
	errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
	return -1;
}

static int by_poll(void)
{
	return poll(files, FILES, INT_MAX);
}

static int by_ppoll(void)
{
	struct timespec time = { .tv_sec = LONG_S };

	return ppoll(files, FILES, &time, NULL);
}

static int by_select(void)
{
	struct timeval time = { .tv_sec = LONG_S };

	return select(files[FILES - 1].fd + 1, &set, NULL, NULL, &time);
}

static int by_pselect(void)
{
	return pselect(files[FILES - 1].fd + 1, &set, NULL, NULL, NULL, NULL);
}

static int by_sigsuspend(void)
{
	sigset_t none;

	sigemptyset(&none);
	return sigsuspend(&none);
}

static int by_futex(void)
{
	static uint32_t word;
	struct timespec time = { .tv_sec = LONG_S };

	return (int)syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
}

static const struct {
	const char *name;
	int (*wait)(void);
} calls[] = {
	{ "pause", by_pause },	   { "nanosleep", by_nanosleep },
	{ "poll", by_poll },	   { "clock_nanosleep", by_absolute_sleep },
	{ "ppoll", by_ppoll },	   { "select", by_select },
	{ "pselect", by_pselect }, { "sigsuspend", by_sigsuspend },
	{ "futex", by_futex },
};

static void open_files(void)
{
	int ends[2] = { -1, -1 };

	if (pipe(ends))
		return;
	for (int i = 0; i < FILES; i++) {
		files[i] = (struct pollfd){ .fd = i ? dup(ends[0]) : ends[0], .events = POLLIN };
		FD_SET(files[i].fd, &set);
	}
}

int main(int argc, char **argv)
{
	open_files();
	for (size_t i = 0; argc > 1 && i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(calls[i].name, argv[1]) != 0)
			continue;
		puts("waits");
		fflush(stdout);
		printf("%d, %s\n", calls[i].wait(), strerror(errno));
		return 0;
	}
	return 2;
}

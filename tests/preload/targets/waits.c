/* Waits of known kinds, each in a function of its own, which measures the time it was off the
 * processor itself: wall time less the thread's CPU time.
 *   waits FILE MILLISECONDS [blocked]     FILE is written and synced
 * Prints "wait NAME NS" for each, "call NAME NS" with its CPU time, and "thread NAME NS" for the
 * life of each thread.  With "blocked" nothing but two threads that still wait when the process
 * ends.
 *   waits naps     one function sleeps 200 times 50 us, another 20 times 30 ms */
#include <linux/futex.h>
#include <sys/epoll.h>

#include "tests/preload/targets/target.h"

#define SYNCS	     30
#define CONTENTIONS  10
#define SYNCED_BYTES 65536

static unsigned wait_ms;
static const char *file_path;
static int pipe_ends[2], quiet_ends[2];
static uint32_t futex_word;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t together;

static struct timespec wait_time(void)
{
	return (struct timespec){ .tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000L };
}

__attribute__((noinline)) static void wait_sleep(void)
{
	struct timespec time = wait_time();

	nanosleep(&time, NULL);
	WORK_KEEP(1);
}

__attribute__((noinline)) static void wait_futex(void)
{
	struct timespec time = wait_time();

	syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
	WORK_KEEP(2);
}

__attribute__((noinline)) static void wait_poll(void)
{
	struct pollfd fd = { .fd = quiet_ends[0], .events = POLLIN };

	poll(&fd, 1, (int)wait_ms);
	WORK_KEEP(3);
}

__attribute__((noinline)) static void wait_epoll(void)
{
	int epoll = epoll_create1(0);
	struct epoll_event event = { .events = EPOLLIN };

	epoll_ctl(epoll, EPOLL_CTL_ADD, quiet_ends[0], &event);
	epoll_wait(epoll, &event, 1, (int)wait_ms);
	close(epoll);
}

__attribute__((noinline)) static void wait_pipe(void)
{
	char byte;

	if (read(pipe_ends[0], &byte, 1) != 1)
		abort();
	WORK_KEEP(5);
}

__attribute__((noinline)) static void wait_fsync(void)
{
	static char bytes[SYNCED_BYTES];
	int fd = open(file_path, O_CREAT | O_WRONLY, 0600);

	for (int i = 0; i < SYNCS; i++) {
		bytes[0]++;
		if (pwrite(fd, bytes, sizeof(bytes), 0) != sizeof(bytes) || fsync(fd))
			abort();
	}
	close(fd);
}

__attribute__((noinline)) static void wait_mutex(void)
{
	for (int i = 0; i < CONTENTIONS; i++) {
		pthread_barrier_wait(&together);
		/* the other has the mutex by now, or this waits in the barrier until it has */
		pthread_barrier_wait(&together);
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

static void hold_mutex(void)
{
	struct timespec time = { .tv_nsec = (long)wait_ms * 1000000 / CONTENTIONS };

	for (int i = 0; i < CONTENTIONS; i++) {
		pthread_barrier_wait(&together);
		pthread_mutex_lock(&mutex);
		pthread_barrier_wait(&together);
		nanosleep(&time, NULL);
		pthread_mutex_unlock(&mutex);
	}
}

static void measure(const char *name, void (*wait)(void))
{
	uint64_t cpu_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t wall_ns = work_cpu_ns(CLOCK_MONOTONIC);

	wait();
	wall_ns = work_cpu_ns(CLOCK_MONOTONIC) - wall_ns;
	cpu_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	printf("wait %s %llu\n", name, (unsigned long long)(wall_ns - cpu_ns));
	printf("call %s %llu\n", name, (unsigned long long)wall_ns);
}

static void *helper(void *argument)
{
	uint64_t start_ns = work_cpu_ns(CLOCK_MONOTONIC);
	struct timespec time = wait_time();

	(void)argument;
	pthread_setname_np(pthread_self(), "helper");
	pthread_barrier_wait(&together);
	nanosleep(&time, NULL);
	if (write(pipe_ends[1], "", 1) != 1)
		abort();
	hold_mutex();
	work_burn((uint64_t)wait_ms * 1000000);
	printf("thread helper %llu\n",
	       (unsigned long long)(work_cpu_ns(CLOCK_MONOTONIC) - start_ns));
	return NULL;
}

static _Atomic pid_t about_to_read[2];

__attribute__((noinline)) static void *block_read(void *reader)
{
	char byte;

	pthread_setname_np(pthread_self(), "blocked");
	*(_Atomic pid_t *)reader = (pid_t)syscall(SYS_gettid);
	if (read(quiet_ends[0], &byte, 1) == 1)
		abort();
	return NULL;
}

static int leave_blocked(void)
{
	struct timespec time = wait_time();
	uint64_t start_ns;
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		pthread_create(&thread, NULL, block_read, &about_to_read[i]);
	for (int i = 0; i < 2; i++)
		while (!about_to_read[i] || state_of(about_to_read[i]) != 'S')
			sched_yield(); /* one that sleeps then is in that call */
	start_ns = work_cpu_ns(CLOCK_MONOTONIC);
	nanosleep(&time, NULL);
	printf("wait block_read %llu\n",
	       (unsigned long long)(2 * (work_cpu_ns(CLOCK_MONOTONIC) - start_ns)));
	return 0;
}

static void nap(int times, long ns)
{
	while (times--)
		nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

BY_NAME static void often(void)
{
	nap(200, 50000);
	WORK_KEEP(6);
}

BY_NAME static void seldom(void)
{
	nap(20, 30000000);
	WORK_KEEP(7);
}

int main(int argc, char **argv)
{
	uint64_t start_ns = work_cpu_ns(CLOCK_MONOTONIC);
	pthread_t thread;

	if (argc == 2) {
		often();
		seldom();
		return 0;
	}
	if (argc < 3 || pipe(pipe_ends) || pipe(quiet_ends))
		return 2;
	file_path = argv[1];
	wait_ms = (unsigned)atoi(argv[2]);
	if (argc > 3)
		return leave_blocked();
	pthread_barrier_init(&together, NULL, 2);
	pthread_create(&thread, NULL, helper, NULL);
	measure("wait_sleep", wait_sleep);
	measure("wait_futex", wait_futex);
	measure("wait_poll", wait_poll);
	measure("wait_epoll", wait_epoll);
	measure("wait_fsync", wait_fsync);
	pthread_barrier_wait(&together);
	measure("wait_pipe", wait_pipe);
	measure("wait_mutex", wait_mutex);
	pthread_join(thread, NULL);
	printf("thread waits %llu\n",
	       (unsigned long long)(work_cpu_ns(CLOCK_MONOTONIC) - start_ns));
	return 0;
}

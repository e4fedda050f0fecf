/*
 * How much a program has of what it shares with its user, and with us.
 *   shared_limits mappings THREADS
 *     Starts so many threads that wait, or as many as can be.  Prints how many, and how many
 * mappings the process has then, with those of events. shared_limits signals THREADS So many
 * threads sleep very often.  Meanwhile main queues a blocked signal until the kernel refuses, and
 * prints how many there was room for.
 */
#include "tests/preload/targets/target.h"

#define STACK_BYTES 32768
#define THREADS_MAX 64
#define PLENTY	    10000
#define NAPS	    3000

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_int napped, stop;

static void *wait_here(void *unused)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return unused;
}

static void count_mappings(unsigned wanted)
{
	pthread_attr_t small;
	pthread_t thread;
	unsigned made = 0;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_BYTES);
	pthread_mutex_lock(&gate);
	while (made < wanted && !pthread_create(&thread, &small, wait_here, NULL))
		made++;
	if (made < wanted)
		printf("%u\n", made);
	else
		printf("%u %d %d\n", made, lines_with("/proc/self/maps", "\n"),
		       lines_with("/proc/self/maps", "[perf_event]"));
}

static void *nap(void *unused)
{
	const struct timespec shortly = { .tv_nsec = 1000 };

	for (int i = 0; !stop; i++) {
		nanosleep(&shortly, NULL);
		if (i == NAPS)
			napped++;
	}
	return unused;
}

static void queue_signals(unsigned threads)
{
	sigset_t set = set_of(SIGRTMIN + 5);
	pthread_t id[THREADS_MAX];
	int queued = 0;

	sigprocmask(SIG_BLOCK, &set, NULL);
	start_threads(id, threads, nap, NULL);
	while (napped < (int)threads)
		usleep(1000);
	while (queued < PLENTY && !sigqueue(getpid(), SIGRTMIN + 5, (union sigval){ 0 }))
		queued++;
	stop = 1;
	join_threads(id, threads);
	printf("%d\n", queued);
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0;

	if (argc > 1 && !strcmp(argv[1], "signals") && threads <= THREADS_MAX)
		queue_signals(threads);
	else
		count_mappings(threads);
	_exit(fflush(stdout));
}

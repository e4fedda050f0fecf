/*
 * Threads that share one processor and leave it to each other all the time, in turns of known work:
 * `left` does twice that of `right`.
 *   switching steady MS    for so much CPU time of each thread
 *   switching phases MS    the same; then without switches; then the same again
 *   switching unticked MS  steady; then its CPU timers are gone, and each thread computes 100 ms
 *   switching calls MS     the same; then calls that wait, with switches in between
 *   switching fork MS      the same; then each thread forks a child that computes
 *   switching exec MS      the same; then becomes another image, while others switch
 *   switching often MS     for so much CPU time, and 16,000 waits in a second of it
 *   switching rarely MS    the same, 100 waits
 *   switching pairs N      N pairs of threads, one after the other, that switch a little
 * Prints, for the threads together, switches and microseconds of CPU time while they switched; the
 * CPU timers that the process had after each phase, -1 where the kernel does not tell; and how
 * often a call failed or came early.
 */
#include <sys/epoll.h>

#include "tests/preload/targets/target.h"

#define THREADS	    4
#define MS	    1000000ULL
#define WAIT_NS	    50000
#define ROUNDS	    2000
#define TIMERS_MOST 1024

static pthread_barrier_t barrier;
static uint64_t storm_ns;
static _Atomic long switches, cpu_us, failed, early;
static int timers[3] = { -1, -1, -1 };

__attribute__((noinline)) static void left(void)
{
	WORK(8000);
	WORK_KEEP(1);
}

__attribute__((noinline)) static void right(void)
{
	WORK(4000);
	WORK_KEEP(2);
}

BURNS(calm)

/* Waits after so much work each time, or leaves the processor to the others all the time. */
static void switch_every(uint64_t gap_ns, uint64_t cpu_ns)
{
	uint64_t end_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) + cpu_ns;
	long before = switches_of(RUSAGE_THREAD);

	while (work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
		if (gap_ns) {
			work_burn(gap_ns);
			nanosleep(&(struct timespec){ 0, 1000 }, NULL);
			continue;
		}
		left();
		sched_yield();
		right();
		sched_yield();
	}
	switches += switches_of(RUSAGE_THREAD) - before;
	cpu_us += (long)(cpu_ns / 1000);
}

static void storm(uint64_t cpu_ns)
{
	switch_every(0, cpu_ns);
}

static void phase_ends(int phase)
{
	if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		timers[phase] = timers_count();
	pthread_barrier_wait(&barrier);
}

static void *phases(void *argument)
{
	storm(storm_ns);
	phase_ends(0);
	calm(2 * storm_ns);
	phase_ends(1);
	storm(storm_ns);
	phase_ends(2);
	return argument;
}

static void *steady(void *argument)
{
	storm(storm_ns);
	phase_ends(0);
	return argument;
}

static void *unticked(void *argument)
{
	steady(argument);
	for (int id = 0; id < TIMERS_MOST; id++)
		syscall(SYS_timer_delete, id);
	phase_ends(1);
	calm(100 * MS);
	return argument;
}

static void *wait_each(uint64_t gap_ns, void *argument)
{
	switch_every(gap_ns, storm_ns);
	phase_ends(0);
	return argument;
}

static void *often(void *argument)
{
	return wait_each(MS / 16, argument);
}

static void *rarely(void *argument)
{
	return wait_each(10 * MS, argument);
}

static long wait_for(int how, int poller)
{
	struct timespec length = { 0, WAIT_NS };
	struct epoll_event event;
	sigset_t none;

	sigemptyset(&none);
	switch (how) {
	case 0:
		return nanosleep(&length, NULL);
	case 1:
		return ppoll(NULL, 0, &length, NULL);
	case 2:
		return epoll_wait(poller, &event, 1, 1);
	default:
		return sigtimedwait(&none, NULL, &length) < 0 && errno == EAGAIN ? 0 : -1;
	}
}

static void *calls(void *argument)
{
	int poller = epoll_create1(0);

	storm(storm_ns);
	phase_ends(0);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start_ns = work_cpu_ns(CLOCK_MONOTONIC);

		failed += wait_for(round % 4, poller) != 0;
		early += work_cpu_ns(CLOCK_MONOTONIC) < start_ns + WAIT_NS;
		left();
	}
	phase_ends(1);
	close(poller);
	return argument;
}

static void *forks(void *argument)
{
	pid_t pid;

	storm(storm_ns);
	phase_ends(0);
	pid = fork();
	if (!pid) {
		calm(40 * MS);
		_exit(0);
	}
	failed += status_of(pid) != 0;
	storm(20 * MS);
	phase_ends(1);
	return argument;
}

static void *execs(void *argument)
{
	storm(storm_ns);
	phase_ends(0);
	if (argument)
		for (;;)
			storm(MS);
	execl("/nonexistent", "nonexistent", NULL); /* fails, and all goes on */
	storm(20 * MS);
	execl("/proc/self/exe", "switching", "steady", "40", NULL);
	return NULL;
}

static void run(void *(*thread)(void *))
{
	pthread_t id[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 1; i < THREADS; i++)
		pthread_create(&id[i], NULL, thread, (void *)i);
	thread(NULL); /* the first one, too */
	join_threads(id + 1, THREADS - 1);
}

static void *little(void *argument)
{
	storm(8 * MS);
	return argument;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*thread)(void *);
	} modes[] = { { "steady", steady }, { "unticked", unticked }, { "often", often },
		      { "rarely", rarely }, { "phases", phases },     { "calls", calls },
		      { "fork", forks },    { "exec", execs } };
	int number = argc > 2 ? atoi(argv[2]) : 0;
	cpu_set_t all, one;

	CPU_ZERO(&one);
	if (number <= 0 || sched_getaffinity(0, sizeof(all), &all))
		return 2;
	for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return 2;
	storm_ns = (uint64_t)number * MS;
	for (size_t i = 0; i < COUNT(modes); i++)
		if (!strcmp(argv[1], modes[i].name))
			run(modes[i].thread);
	for (int i = 0; !strcmp(argv[1], "pairs") && i < number; i++)
		run_threads(2, little, NULL);
	printf("%ld switches %ld us, timers %d %d %d, %ld failed %ld early\n", switches, cpu_us,
	       timers[0], timers[1], timers[2], failed, early);
	return 0;
}

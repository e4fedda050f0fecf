/*
 * Forks at difficult moments.
 *   forks handler FORKS
 *     In a signal handler while the program itself forks, as supervisors do.  It goes on until its
 *     handler has made FORKS children, and prints whether any ended otherwise than it should have.
 *   forks loading
 *     While another thread is in the middle of dlopen(3).  In the child the loader's list stays
 * half changed, and a call that asks the loader to open an object kills the child.  The thread is
 *     simulated by setting the state that it would have left.
 *   forks many THREADS [MILLISECONDS]
 *     With many sleeping threads.  Prints the minor faults of a child that ends at once, or burns
 * that many milliseconds in each of two threads.
 */
#include <sys/time.h>

#include "tests/preload/targets/target.h"

#define BURN_NS 20000000

static volatile sig_atomic_t by_handler, bad;

static void one_child(void)
{
	pid_t child = fork();

	if (!child)
		_exit(7);
	bad |= status_of(child) != 7 << 8;
}

/* Armed anew when it is done: however slow a fork is, the program gets on. */
static void arm(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 1000 };

	setitimer(ITIMER_PROF, &soon, NULL);
}

static void on_time(int signal)
{
	(void)signal;
	one_child();
	by_handler++;
	arm();
}

static int in_handler(int forks)
{
	struct sigaction action = { .sa_handler = on_time };

	sigaction(SIGPROF, &action, NULL);
	arm();
	while (by_handler < forks)
		one_child();
	printf("%s\n", bad ? "bad" : "good");
	return 0;
}

/* The loader's own, not a copy that a reference would make. */
static struct r_debug *loader(void)
{
	for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_DEBUG)
			return (struct r_debug *)entry->d_un.d_ptr;
	_exit(2);
}

static int while_loading(void)
{
	struct r_debug *debug = loader();
	pid_t child;

	work_burn(BURN_NS);
	debug->r_state = RT_ADD;
	child = fork();
	if (!child) {
		work_burn(BURN_NS);
		_exit(5);
	}
	debug->r_state = RT_CONSISTENT;
	child = status_of(child);
	printf("child %d\n", WIFEXITED(child) ? WEXITSTATUS(child) : -1);
	return 7;
}

static pthread_barrier_t barrier;
static uint64_t burn_ns;

static void *sleeper(void *unused)
{
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

__attribute__((noinline)) static void *child_work(void *unused)
{
	work_burn(burn_ns);
	WORK_KEEP(1);
	return unused;
}

static int of_many(unsigned threads)
{
	pthread_t *thread = calloc(threads, sizeof(*thread));
	struct rusage usage;
	pid_t child;

	pthread_barrier_init(&barrier, NULL, threads + 1);
	start_threads(thread, threads, sleeper, NULL);
	pthread_barrier_wait(&barrier);
	child = fork();
	if (!child) {
		run_threads(burn_ns ? 2 : 0, child_work, NULL);
		_exit(0);
	}
	if (status_of(child))
		return 3;
	getrusage(RUSAGE_CHILDREN, &usage);
	pthread_barrier_wait(&barrier);
	join_threads(thread, threads);
	printf("%ld\n", usage.ru_minflt);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return while_loading();
	burn_ns = argc > 3 ? strtoull(argv[3], NULL, 10) * 1000000 : 0;
	return strcmp(argv[1], "many") ? in_handler(atoi(argv[2]))
				       : of_many((unsigned)atoi(argv[2]));
}

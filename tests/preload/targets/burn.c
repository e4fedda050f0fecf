/*
 * Burn CPU time in burn_here for CPU_MILLISECONDS, print "ok", and end or go on in the given way:
 * see leave(); a number dies of that signal; without one main returns.
 *   burn CPU_MILLISECONDS [WAY [PROGRAM [ARGUMENT…]]]
 */
#include "tests/preload/targets/raw_call.h"
#include "tests/preload/targets/target.h"

BURNS(burn_here)

static void *spin(void *argument)
{
	for (;;)
		work_burn(1000000);
	return argument;
}

static void *nothing(void *argument)
{
	return argument;
}

static void *breed(void *argument)
{
	pthread_attr_t detached;
	pthread_t thread;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (;;)
		pthread_create(&thread, &detached, nothing, NULL);
	return argument;
}

static void crowd(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, i ? spin : breed, NULL);
	work_burn(20000000);
}

static void *leave_here(void *argument)
{
	work_burn(10000000);
	exit(7);
	return argument;
}

static void *last(void *argument)
{
	work_burn(20000000);
	puts("the last thread");
	return argument;
}

static void on_alarm(int signal)
{
	(void)signal;
	exit(7);
}

static void say_late(void)
{
	work_burn(5000000);
	puts("late");
}

static int deeper(int depth)
{
	volatile char much[65536];

	memset((char *)much, depth, sizeof(much));
	return (depth ? deeper(depth + 1) : 0) + much[1];
}

static volatile uintptr_t nowhere = 8;

static void leave_by_threads(const char *way)
{
	pthread_t thread;

	if (!strncmp(way, "crowd", 5) || !strncmp(way, "thread", 6))
		crowd();
	if (!strcmp(way, "crowd"))
		exit(7);
	if (!strcmp(way, "crowd_exit"))
		_exit(7);
	if (!strcmp(way, "main_first")) {
		pthread_create(&thread, NULL, last, NULL);
		pthread_exit(NULL);
	}
	if (!strcmp(way, "thread"))
		pthread_create(&thread, NULL, leave_here, NULL);
	else if (!strcmp(way, "thread_null"))
		pthread_create(&thread, NULL, (thread_function *)nowhere, NULL); /* NOLINT */
	else
		return;
	pause();
}

static void leave(const char *way, char **program)
{
	if (!strcmp(way, "exit"))
		exit(7);
	if (!strcmp(way, "_exit"))
		_exit(7);
	if (!strcmp(way, "_Exit"))
		_Exit(7);
	if (!strcmp(way, "quick_exit"))
		quick_exit(7);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "exit_group"))
		syscall(SYS_exit_group, 7);
	if (!strcmp(way, "raw")) /* which no loaded library can see */
		raw_call(SYS_exit_group, 7, 0, 0, 0);
	if (!strcmp(way, "exec"))
		exit(execv(*program, program));
	if (!strcmp(way, "handler")) {
		signal(SIGALRM, on_alarm);
		raise(SIGALRM);
	}
	if (!strcmp(way, "atexit")) {
		atexit(say_late);
		exit(7);
	}
	if (!strcmp(way, "overflow"))
		exit(deeper(1));
	if (!strcmp(way, "null"))
		*(volatile int *)nowhere = 1; /* NOLINT */
	if (!strcmp(way, "trap"))
		__builtin_trap();
	leave_by_threads(way);
}

int main(int argc, char **argv)
{
	uint64_t burn_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000;
	const char *way = argc > 2 ? argv[2] : "";

	burn_here(burn_ns);
	puts("ok");
	fflush(stdout);
	while (!strcmp(way, "forever"))
		burn_here(burn_ns);
	if (atoi(way))
		kill(getpid(), atoi(way));
	leave(way, argv + 3);
	return 7;
}

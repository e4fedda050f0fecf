/*
 * Burn CPU time, print "burnt", and end in the given way.
 *   harm_ends MILLISECONDS WAY       (see ways[]; a number dies of that signal)
 */
#include "tests/preload/targets/target.h"

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

static void *leave(void *argument)
{
	work_burn(10000000);
	exit(7);
	return argument;
}

static void by_return(void)
{
}

static void by_exit(void)
{
	exit(7);
}

static void by_fast_exit(void)
{
	_exit(7);
}

static void by_c99_exit(void)
{
	_Exit(7);
}

static void by_quick_exit(void)
{
	quick_exit(7);
}

static void by_abort(void)
{
	abort();
}

static void by_system_call(void)
{
	syscall(SYS_exit_group, 7);
}

static void in_a_crowd(void)
{
	crowd();
	exit(7);
}

static void fast_in_a_crowd(void)
{
	crowd();
	_exit(7);
}

static void from_a_thread(void)
{
	pthread_t thread;

	crowd();
	pthread_create(&thread, NULL, leave, NULL);
	pause();
}

static void *last(void *argument)
{
	work_burn(20000000);
	puts("the last thread");
	return argument;
}

static void main_thread_first(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, last, NULL);
	pthread_exit(NULL);
}

static void on_alarm(int signal)
{
	(void)signal;
	exit(7);
}

static void from_a_handler(void)
{
	signal(SIGALRM, on_alarm);
	raise(SIGALRM);
}

static void say_late(void)
{
	work_burn(5000000);
	puts("late");
}

static void with_late_work(void)
{
	atexit(say_late);
	exit(7);
}

static int deeper(int depth)
{
	volatile char much[65536];

	memset((char *)much, depth, sizeof(much));
	return (depth ? deeper(depth + 1) : 0) + much[1];
}

static void by_stack_overflow(void)
{
	exit(deeper(1));
}

static volatile uintptr_t nowhere = 8;

static void by_null(void)
{
	*(volatile int *)nowhere = 1; /* NOLINT */
}

static void by_bad_instruction(void)
{
	__builtin_trap();
}

static void by_null_in_a_thread(void)
{
	pthread_t thread;

	crowd();
	pthread_create(&thread, NULL, (void *(*)(void *))nowhere, NULL); /* NOLINT */
	pause();
}

static const struct {
	const char *name;
	void (*end)(void);
} ways[] = {
	{ "return", by_return },
	{ "exit", by_exit },
	{ "_exit", by_fast_exit },
	{ "_Exit", by_c99_exit },
	{ "quick_exit", by_quick_exit },
	{ "abort", by_abort },
	{ "exit_group", by_system_call },
	{ "crowd", in_a_crowd },
	{ "crowd_exit", fast_in_a_crowd },
	{ "thread", from_a_thread },
	{ "main_first", main_thread_first },
	{ "handler", from_a_handler },
	{ "atexit", with_late_work },
	{ "overflow", by_stack_overflow },
	{ "null", by_null },
	{ "trap", by_bad_instruction },
	{ "thread_null", by_null_in_a_thread },
};

int main(int argc, char **argv)
{
	int number;

	if (argc < 3)
		return 2;
	work_burn(strtoull(argv[1], NULL, 10) * 1000000);
	puts("burnt");
	fflush(stdout);
	number = atoi(argv[2]);
	if (number)
		kill(getpid(), number);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(ways[i].name, argv[2]))
			ways[i].end();
	return 7;
}

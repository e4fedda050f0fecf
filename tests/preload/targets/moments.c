/*
 * A program whose phases have names and times.  Its arguments are steps:
 *
 *   a300   work in work_a() for 300 ms of CPU time; b to h likewise
 *   s300   sleep for 300 ms
 *   x … .  do the steps up to the dot in a child; the other steps are done meanwhile
 *   t … .  do them in a thread
 *
 * Each step prints a line when it begins, and one when it ends: "NAME FROM_NS TO_NS", by
 * CLOCK_MONOTONIC; TO_NS is 0 in the first.
 */
#include "tests/preload/targets/target.h"

#define TURN	 50000 /* units between two looks at the clock */
#define LINE_MAX 96
#define GROUPS	 16

#define PHASE(name)                                                     \
	static __attribute__((noipa)) void work_##name(uint64_t end_ns) \
	{                                                               \
		while (work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)   \
			WORK(TURN);                                     \
		WORK_KEEP(name);                                        \
	}

PHASE(a)
PHASE(b)
PHASE(c)
PHASE(d)
PHASE(e)
PHASE(f)
PHASE(g)
PHASE(h)

static void (*const phases[])(uint64_t) = { work_a, work_b, work_c, work_d,
					    work_e, work_f, work_g, work_h };

static void print(const char *name, uint64_t from_ns, uint64_t to_ns)
{
	char line[LINE_MAX];
	int bytes = snprintf(line, sizeof(line), "%c %llu %llu\n", *name,
			     (unsigned long long)from_ns, (unsigned long long)to_ns);

	if (write(STDOUT_FILENO, line, (size_t)bytes) != bytes)
		abort();
}

static void step(const char *what)
{
	uint64_t from_ns, ms = strtoull(what + 1, NULL, 10);

	print(what, work_cpu_ns(CLOCK_MONOTONIC), 0);
	from_ns = work_cpu_ns(CLOCK_MONOTONIC);
	if (*what == 's')
		usleep((useconds_t)ms * 1000);
	else if (*what >= 'a' && *what <= 'h')
		phases[*what - 'a'](work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000);
	else
		abort();
	print(what, from_ns, work_cpu_ns(CLOCK_MONOTONIC));
}

/* Returns the dot that ends the group, or the end. */
static char **end_of(char **steps)
{
	for (unsigned depth = 0; *steps; steps++) {
		if (**steps == '.' && !depth--)
			break;
		depth += **steps == 'x' || **steps == 't';
	}
	return steps;
}

static void *run(void *steps);

static void start_child(char **steps)
{
	if (fork())
		return;
	run(steps);
	exit(0);
}

static void *run(void *argument)
{
	pthread_t threads[GROUPS];
	unsigned count = 0;

	for (char **steps = argument; *steps && **steps != '.'; steps++) {
		if (**steps != 'x' && **steps != 't') {
			step(*steps);
			continue;
		}
		if (**steps == 'x')
			start_child(steps + 1);
		else if (count == GROUPS || pthread_create(&threads[count++], NULL, run, steps + 1))
			abort();
		steps = end_of(steps + 1);
	}
	join_threads(threads, count);
	return NULL;
}

int main(int argc, char **argv)
{
	int status;

	if (argc < 2)
		return 2;
	run(argv + 1);
	while (wait(&status) > 0)
		if (status)
			return 1;
	return 0;
}

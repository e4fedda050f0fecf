/*
 * What does a sample cost more for the functions of interpreters, where no interpreter is loaded?
 * The handler asks whether there is one, and goes on as without.  The time of that question, and
 * its instructions, counted by single steps.  One line each: name value unit runs.
 */
#include <stdio.h>
#include <time.h>

#include "bench/stepped.h"
#include "runtime/sample/interp/interp.h"
#include "runtime/sample/objects/module_table.h"

#define RUNS  31
#define CALLS 1000000
#define STEPS 1000 /* calls that are stepped through */

static struct modules modules; /* of a program that has loaded nothing since the last sample */
static volatile bool is_here;

static void ask(unsigned times)
{
	while (times--)
		is_here = interp_is_here();
}

static void ignore(const char *line)
{
	(void)line;
}

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double least_ns(void)
{
	double best = 1e18;

	for (unsigned run = 0; run < RUNS; run++) {
		double start = now_ns();

		ask(CALLS);
		start = now_ns() - start;
		if (start < best)
			best = start;
	}
	return best / CALLS;
}

int main(void)
{
	interp_start(&modules, ignore);
	ask(1);
	if (is_here)
		return 1;
	printf("interp_none.time %.3f ns %d\n", least_ns(), RUNS);
	printf("interp_none.instructions %.3f instructions %d\n",
	       (double)(stepped(ask, STEPS) - stepped(ask, 0)) / STEPS, STEPS);
	return 0;
}

/*
 * A preloaded library that does only what every profiler of this kind must do: it loads libunwind
 * and opens one event in each process, again after each fork.
 */
#include <pthread.h>

#include "bench/floor.h"
#include "bench/preloaded/parts.c"

#define PERIOD_NS 1001001 /* 999 Hz */

static void open_event(void)
{
	floor_start(PERF_COUNT_SW_TASK_CLOCK, PERIOD_NS);
}

__attribute__((constructor)) static void start(void)
{
	open_event();
	pthread_atfork(NULL, NULL, open_event);
}

/* The timers of this process. */
#ifndef TARGETS_TIMERS_H
#define TARGETS_TIMERS_H

#include "tests/preload/targets/target.h"

/* proc(5): /proc/PID/timers has a line "signal:" for each timer.  -1: the kernel does not tell. */
static int timers_count(void)
{
	FILE *file = fopen("/proc/self/timers", "r");
	char line[256];
	int count = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		count += !strncmp(line, "signal:", 7);
	fclose(file);
	return count;
}

#endif

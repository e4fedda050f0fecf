/*
 * /proc/stat, "cpu": user nice system idle iowait irq softirq steal, in ticks (proc_stat(5)).
 */
#include "runtime/command/ab/machine_load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/command/base/kernel_limits.h"

#define STAT	 "/proc/stat"
#define CPU	 "cpu "
#define GOVERNOR "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
#define FIELDS	 8
#define IDLE	 3
#define IOWAIT	 4

/* The first line has the ticks of all processors: "cpu  10 2 3 …" (proc(5)). */
uint64_t machine_load_busy_ns(void)
{
	long ticks_per_second = sysconf(_SC_CLK_TCK);
	unsigned long long ticks = 0;
	char line[512], *next = line + strlen(CPU);

	if (ticks_per_second <= 0 || !kernel_limits_line(STAT, line, sizeof(line)) ||
	    strncmp(line, CPU, strlen(CPU)) != 0)
		return 0;
	for (int i = 0; i < FIELDS; i++) {
		char *field = next;
		unsigned long long value = strtoull(field, &next, 10);

		if (next == field)
			return 0;
		ticks += i == IDLE || i == IOWAIT ? 0 : value;
	}
	return ticks * (1000000000u / (unsigned long)ticks_per_second);
}

bool machine_load_governor(char *name, size_t bytes)
{
	return kernel_limits_line(GOVERNOR, name, bytes) && strcmp(name, "performance") != 0;
}

/*
 * A counter of the program's own, which it switches off by prctl(2); then exec fails.
 *   own_counter
 */
#include <linux/perf_event.h>

#include "tests/preload/targets/target.h"

static uint64_t value(int fd)
{
	uint64_t count = 0;

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		_exit(1);
	return count;
}

int main(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = PERF_ATTR_SIZE_VER0,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	char *argv[] = { "none", NULL };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);
	uint64_t before;

	if (fd < 0)
		return 77;
	prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
	before = value(fd);
	execv("/nonexistent/program", argv);
	work_burn(5000000);
	puts(value(fd) == before ? "it stands still" : "it counts");
	prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0);
	work_burn(5000000);
	puts(value(fd) == before ? "it stands still" : "it counts");
	return 7;
}

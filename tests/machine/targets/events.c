/*
 * What the kernel does for others than the program that is sampled.
 *   events hog N    takes N counters of the PMU away from all other processes: pinned, CPU-wide;
 *                   prints "holding N", then waits
 *   events ticker   keeps one CPU-wide cpu-clock event at 100,000 ns, prints "ticking", then waits.
 *                   The emulator arms the overflow of every counter but the dedicated cycle counter
 *                   one count early, and then sees it only when an interrupt makes it look; this
 *                   event's interrupts do.
 *   events refused  prints the result of perf_event_open with SIGTRAP on overflow, without and with
 *                   a cookie
 */
#include <linux/perf_event.h>

#include "tests/support/libc.h"

/* Returns a descriptor, or -1 with errno. */
static int open_event(struct perf_event_attr attr, pid_t pid, int cpu)
{
	attr.size = sizeof(attr);
	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int hold(int wanted)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_INSTRUCTIONS,
					.pinned = 1 };
	int held = 0;

	while (held < wanted && open_event(attr, -1, 0) >= 0)
		held++;
	return held;
}

static bool tick(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 100000 };

	return open_event(attr, -1, 0) >= 0;
}

static const char *answer(bool sigtrap, unsigned long cookie)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.sample_period = 1000000,
					.exclude_kernel = 1,
					.remove_on_exec = sigtrap,
					.sigtrap = sigtrap,
					.sig_data = cookie };
	int fd = open_event(attr, 0, -1);

	if (fd < 0)
		return strerrorname_np(errno);
	close(fd);
	return "opens";
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "refused")) {
		printf("plain %s\nsigtrap %s\n", answer(false, 0), answer(true, 0));
		printf("sigtrap with sig_data %s\n", answer(true, 1));
		return 0;
	}
	if (!strcmp(how, "hog") && argc == 3)
		printf("holding %d\n", hold(atoi(argv[2])));
	else if (!strcmp(how, "ticker") && tick())
		puts("ticking");
	else
		return 1;
	fflush(stdout);
	for (;;)
		pause();
}

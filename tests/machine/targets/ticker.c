/*
 * Keeps one CPU-wide cpu-clock event at 100,000 ns.  The emulator arms the overflow of every
 * counter but the dedicated cycle counter one count early, and then sees it only when an
 * interrupt makes it look; this event's interrupts do.  Prints one line when it is there.
 */
#include <linux/perf_event.h>

#include "tests/support/libc.h"

int main(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 100000,
	};

	if (syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0) < 0) {
		perror("ticker: perf_event_open");
		return 1;
	}
	puts("ticking");
	fflush(stdout);
	for (;;)
		pause();
}

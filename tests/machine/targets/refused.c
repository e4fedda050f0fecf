/* Prints the result of perf_event_open with SIGTRAP on overflow, without and with a cookie. */
#include <linux/perf_event.h>

#include "tests/support/libc.h"

static const char *answer(int sigtrap, unsigned long cookie)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1000000,
		.exclude_kernel = 1,
		.remove_on_exec = sigtrap != 0,
		.sigtrap = sigtrap != 0,
	};
	int fd;

	attr.sig_data = cookie;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return strerrorname_np(errno);
	close(fd);
	return "opens";
}

int main(void)
{
	printf("plain %s\n", answer(0, 0));
	printf("sigtrap %s\n", answer(1, 0));
	printf("sigtrap with sig_data %s\n", answer(1, 1));
	return 0;
}

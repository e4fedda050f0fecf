/*
 * No switch is needed for it: when an event is enabled, the kernel takes all events of its kind off
 * the thread and puts them on again (ctx_resched() in kernel/events/core.c), as at a switch.  The
 * event that is enabled here only counts, so it has no timer of its own.  What that event costs is
 * measured with it: less than a microsecond, where starting a timer in a virtual machine takes six.
 */
#include "runtime/sample/perf/switch_cost.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/sys.h"

#define TRIES 5

/* The least of some: other load on the machine can only lengthen a measurement. */
static uint64_t least_ns(int fd)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t began_ns = machine_time_now_ns(), took_ns;

		if (sys_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ||
		    sys_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
			return 0;
		took_ns = machine_time_now_ns() - began_ns;
		least = took_ns < least ? took_ns : least;
	}
	return least;
}

uint64_t switch_cost_measure(const struct perf_event_attr *attr)
{
	struct perf_event_attr counts = {
		.type = attr->type,
		.size = sizeof(counts),
		.config = attr->config,
		.disabled = 1,
		.pinned = attr->pinned,
		.exclude_kernel = attr->exclude_kernel,
		.exclude_hv = attr->exclude_hv,
	};
	int fd = sys_perf_event_open(&counts, 0, -1, PERF_FLAG_FD_CLOEXEC);
	uint64_t cost_ns;

	if (fd < 0)
		return 0;
	cost_ns = least_ns(fd);
	sys_close(fd);
	return cost_ns;
}

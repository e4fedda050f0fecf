/*
 * A probe narrows its request like the library's plan: first it omits the kernel side, then
 * SIGTRAP. The descriptor is closed at once, and a disabled counter never overflows.
 */
#include "runtime/command/base/counter_probe.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/command/base/kernel_limits.h"

#define SIG_DATA 1 /* any value: like a profiled thread, this needs the newer struct */

void counter_probe_attr(struct perf_event_attr *attr, uint32_t type, uint64_t config,
			uint64_t period)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = type;
	attr->config = config;
	attr->sample_period = period;
	attr->disabled = 1; /* no overflow, no signal */
}

int counter_probe_open(const struct perf_event_attr *attr)
{
	struct perf_event_attr copy = *attr; /* the kernel may write its size */
	long fd = syscall(SYS_perf_event_open, &copy, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int attempt(const struct perf_event_attr *attr, bool kernel, bool sigtrap)
{
	struct perf_event_attr copy = *attr;
	int fd;

	copy.exclude_kernel = copy.exclude_hv = !kernel;
	if (sigtrap) {
		copy.sigtrap = copy.remove_on_exec = 1;
		copy.sig_data = SIG_DATA;
	}
	fd = counter_probe_open(&copy);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

struct counter_probe counter_probe_best(const struct perf_event_attr *attr)
{
	struct counter_probe probe = { .kernel = true, .sigtrap = true };

	probe.err = attempt(attr, true, true);
	if (probe.err == -EACCES || probe.err == -EPERM) {
		probe.kernel = false;
		probe.err = attempt(attr, false, true);
	}
	if (probe.err == -EINVAL || probe.err == -E2BIG) {
		probe.sigtrap = false;
		probe.err = attempt(attr, probe.kernel, false);
	}
	if (probe.kernel && (probe.err == -EACCES || probe.err == -EPERM)) {
		probe.kernel = false;
		probe.err = attempt(attr, false, false);
	}
	return probe;
}

struct counter_probe counter_probe_kind(uint32_t type, uint64_t config, uint64_t period)
{
	struct perf_event_attr attr;

	counter_probe_attr(&attr, type, config, period);
	return counter_probe_best(&attr);
}

struct perf_error counter_probe_error(int err)
{
	const struct perf_error *error = perf_errors_explain(err, kernel_limits_filtered);

	return error ? *error : (struct perf_error){ .cause = strerror(err < 0 ? -err : err) };
}

void counter_probe_reason(int err, char *line, size_t bytes)
{
	struct perf_error error = counter_probe_error(err);

	snprintf(line, bytes, "%s%s%s", error.cause, error.remedy ? "; " : "",
		 error.remedy ? error.remedy : "");
}

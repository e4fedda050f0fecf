/*
 * A probe narrows its request like the library's plan: first it omits the kernel side, then
 * SIGTRAP.  The descriptor is closed at once, and a disabled counter never overflows.  Each call of
 * the others reads its file anew.
 */
#include "runtime/command/base/kernel_access.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/profile/base/user_file.h"

#define CAP_BIT_SYS_ADMIN 21 /* capabilities(7) */
#define CAP_BIT_PERFMON	  38

bool kernel_limits_line(const char *path, char *line, size_t bytes)
{
	bool read = user_file_text(path, line, bytes) > 0;

	line[strcspn(line, "\n")] = '\0';
	return read;
}

int64_t kernel_limits_number(const char *path, int64_t fallback)
{
	char line[64], *end;
	long long number;

	if (!kernel_limits_line(path, line, sizeof(line)))
		return fallback;
	number = strtoll(line, &end, 10);
	return end == line ? fallback : number;
}

int64_t kernel_limits_paranoid(void)
{
	return kernel_limits_number(PERF_PARANOID_FILE, PERF_PARANOID_ABSENT);
}

bool kernel_limits_status(const char *field, const char *format, uint64_t *value)
{
	FILE *file = fopen("/proc/self/status", "re");
	bool found = false;
	char line[256];

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = !strncmp(line, field, strlen(field)) &&
			sscanf(line + strlen(field), format, value) == 1; /* NOLINT(cert-err34-c) */
	fclose(file);
	return found;
}

bool kernel_limits_filtered(void)
{
	uint64_t mode;

	return kernel_limits_status(PERF_FILTER_FIELD, "%" SCNu64, &mode) &&
	       mode == PERF_FILTER_IN_FORCE;
}

bool kernel_limits_capable(unsigned bit)
{
	uint64_t effective;

	return kernel_limits_status("CapEff:", "%" SCNx64, &effective) && effective >> bit & 1;
}

bool kernel_limits_privileged(void)
{
	return kernel_limits_capable(CAP_BIT_PERFMON) || kernel_limits_capable(CAP_BIT_SYS_ADMIN);
}

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

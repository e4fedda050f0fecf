/*
 * A trial narrows as the library's plan does: first the kernel side is left out, then SIGTRAP.
 * The descriptor is closed at once, and a disabled counter never overflows.
 */
#include "runtime/command/base/trial.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIG_DATA 1 /* any: as a profiled thread it sets one, which needs the newer structure */

void trial_attr(struct perf_event_attr *attr, uint32_t type, uint64_t config, uint64_t period)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = type;
	attr->config = config;
	attr->sample_period = period;
	attr->disabled = 1; /* no overflow, no signal */
}

int trial_open(const struct perf_event_attr *attr)
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
	fd = trial_open(&copy);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

struct trial trial_best(const struct perf_event_attr *attr)
{
	struct trial trial = { .kernel = true, .sigtrap = true };

	trial.err = attempt(attr, true, true);
	if (trial.err == -EACCES || trial.err == -EPERM) {
		trial.kernel = false;
		trial.err = attempt(attr, false, true);
	}
	if (trial.err == -EINVAL || trial.err == -E2BIG) {
		trial.sigtrap = false;
		trial.err = attempt(attr, trial.kernel, false);
	}
	if (trial.kernel && (trial.err == -EACCES || trial.err == -EPERM)) {
		trial.kernel = false;
		trial.err = attempt(attr, false, false);
	}
	return trial;
}

bool trial_line(const char *path, char *line, size_t bytes)
{
	FILE *file = fopen(path, "re");
	bool read;

	if (!file)
		return false;
	read = fgets(line, (int)bytes, file) != NULL;
	fclose(file);
	if (read)
		line[strcspn(line, "\n")] = '\0';
	return read;
}

int64_t trial_number(const char *path, int64_t fallback)
{
	char line[64], *end;
	long long number;

	if (!trial_line(path, line, sizeof(line)))
		return fallback;
	number = strtoll(line, &end, 10);
	return end == line ? fallback : number;
}

/* A field of /proc/self/status, proc(5). */
static bool status_field(const char *field, const char *format, uint64_t *value)
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

bool trial_filtered(void)
{
	uint64_t mode;

	return status_field("Seccomp:", "%" SCNu64, &mode) && mode == 2;
}

bool trial_capable(unsigned bit)
{
	uint64_t effective;

	return status_field("CapEff:", "%" SCNx64, &effective) && effective >> bit & 1;
}

struct perf_error trial_error(int err)
{
	bool filtered = (err == -EPERM || err == -ENOSYS) && trial_filtered();
	const struct perf_error *error = filtered ? &perf_errors_filtered : perf_errors_find(err);

	return error ? *error : (struct perf_error){ .cause = strerror(err < 0 ? -err : err) };
}

void trial_reason(int err, char *line, size_t bytes)
{
	struct perf_error error = trial_error(err);

	snprintf(line, bytes, "%s%s%s", error.cause, error.remedy ? "; " : "",
		 error.remedy ? error.remedy : "");
}

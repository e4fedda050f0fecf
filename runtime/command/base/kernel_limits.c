/*
 * Each call reads its file anew.
 */
#include "runtime/command/base/kernel_limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/events/perf_errors.h"
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

/* Reads a field of /proc/self/status, proc(5). */
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

bool kernel_limits_filtered(void)
{
	uint64_t mode;

	return status_field(PERF_FILTER_FIELD, "%" SCNu64, &mode) && mode == PERF_FILTER_IN_FORCE;
}

bool kernel_limits_capable(unsigned bit)
{
	uint64_t effective;

	return status_field("CapEff:", "%" SCNx64, &effective) && effective >> bit & 1;
}

bool kernel_limits_privileged(void)
{
	return kernel_limits_capable(CAP_BIT_PERFMON) || kernel_limits_capable(CAP_BIT_SYS_ADMIN);
}

/*
 * Permissions and limits that the kernel gives this process: numbers in files of /proc/sys and
 * sysfs, the seccomp filter, capabilities.
 */
#ifndef RUNTIME_COMMAND_BASE_KERNEL_LIMITS_H
#define RUNTIME_COMMAND_BASE_KERNEL_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the number in a one-line file; `fallback` if it cannot be read. */
int64_t kernel_limits_number(const char *path, int64_t fallback);

/* Read the first line of a file without its newline; false if it cannot be read or is empty. */
bool kernel_limits_line(const char *path, char *line, size_t bytes);

/* Return kernel.perf_event_paranoid; PERF_PARANOID_ABSENT if it cannot be read. */
int64_t kernel_limits_paranoid(void);

/* Return whether this process runs under a seccomp filter; whether its effective capabilities
 * include `bit`; and whether they include one that overrides kernel.perf_event_paranoid. */
bool kernel_limits_filtered(void);
bool kernel_limits_capable(unsigned bit);
bool kernel_limits_privileged(void);

#endif

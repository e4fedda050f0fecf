/*
 * What the kernel allows this process: numbers in files of /proc/sys and sysfs, the seccomp filter,
 * capabilities.
 */
#ifndef RUNTIME_COMMAND_BASE_KERNEL_LIMITS_H
#define RUNTIME_COMMAND_BASE_KERNEL_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number in a one-line file; fallback if it cannot be read. */
int64_t kernel_limits_number(const char *path, int64_t fallback);

/* The first line of a file without its newline; false if it cannot be read or is empty. */
bool kernel_limits_line(const char *path, char *line, size_t bytes);

/* Whether this process runs under a seccomp filter; its effective capability `bit`. */
bool kernel_limits_filtered(void);
bool kernel_limits_capable(unsigned bit);

#endif

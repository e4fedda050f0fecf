/*
 * What the kernel lets this process do.  Counters are opened on the calling thread as a profiled
 * thread would, and closed again, so that `flametrap events` and `flametrap doctor` report observed
 * results; permissions and limits are numbers in files of /proc/sys and sysfs, the seccomp filter,
 * and capabilities.
 */
#ifndef RUNTIME_COMMAND_BASE_KERNEL_ACCESS_H
#define RUNTIME_COMMAND_BASE_KERNEL_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/events/perf_errors.h"

struct perf_event_attr;

/* The best form in which a counter opened. */
struct counter_probe {
	int err;      /* 0, or the last -errno */
	bool kernel;  /* with the kernel's side */
	bool sigtrap; /* with SIGTRAP on overflow */
};

/* Fill in an attribute that samples every `period` events. */
void counter_probe_attr(struct perf_event_attr *attr, uint32_t type, uint64_t config,
			uint64_t period);

/* Open it once.  Returns a descriptor that the caller closes, or -errno. */
int counter_probe_open(const struct perf_event_attr *attr);

/* Find the best form in which it opens: with both sides and SIGTRAP, otherwise with less. */
struct counter_probe counter_probe_best(const struct perf_event_attr *attr);

/* The same for a counter that samples every `period` events and needs no other field. */
struct counter_probe counter_probe_kind(uint32_t type, uint64_t config, uint64_t period);

/* Returns cause and remedy for an -errno of a probe; the remedy is NULL where none is known.  A
 * cause that is libc's text lives until the next call.  Context: one thread. */
struct perf_error counter_probe_error(int err);

/* Write cause and remedy in one line, with "; " between the two. */
void counter_probe_reason(int err, char *line, size_t bytes);

/* Returns the number in a one-line file; `fallback` if it cannot be read. */
int64_t kernel_limits_number(const char *path, int64_t fallback);

/* Read the first line of a file without its newline; false if it cannot be read or is empty. */
bool kernel_limits_line(const char *path, char *line, size_t bytes);

/* Read a number from a field of /proc/self/status, proc(5), by scanf's format.  Returns whether it
 * is there. */
bool kernel_limits_status(const char *field, const char *format, uint64_t *value);

/* Return kernel.perf_event_paranoid; PERF_PARANOID_ABSENT if it cannot be read. */
int64_t kernel_limits_paranoid(void);

/* Return whether this process runs under a seccomp filter; whether its effective capabilities
 * include `bit`; and whether they include one that overrides kernel.perf_event_paranoid. */
bool kernel_limits_filtered(void);
bool kernel_limits_capable(unsigned bit);
bool kernel_limits_privileged(void);

#endif

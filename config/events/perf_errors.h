/*
 * The meaning of an errno of perf_event_open(2) for the user: one sentence for each that the
 * manual page names, and for those of mapping the counter.  Only text, for the target and the
 * command.
 */
#ifndef CONFIG_EVENTS_PERF_ERRORS_H
#define CONFIG_EVENTS_PERF_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

/* Where the kernel says what it allows: a number, and a field of /proc/self/status, proc(5). */
#define PERF_PARANOID_FILE   "/proc/sys/kernel/perf_event_paranoid"
#define PERF_PARANOID_ABSENT (-100) /* no value of that file */
#define PERF_FILTER_FIELD    "Seccomp:"
#define PERF_FILTER_IN_FORCE 2

struct perf_error {
	int err;	    /* positive */
	const char *name;   /* NULL: found by our own check, not returned by the kernel */
	const char *cause;  /* a clause without a full stop */
	const char *remedy; /* a remedy; NULL: none is known */
};

extern const struct perf_error perf_errors_table[];
extern const size_t perf_errors_count;

/* The row for EPERM and ENOSYS if the process runs under a seccomp filter. */
extern const struct perf_error perf_errors_filtered;

/* The row of an errno of either sign, or NULL if the manual page does not name it.  Context:
 * any. */
const struct perf_error *perf_errors_find(int err);

/* Like perf_errors_find(), but returns &perf_errors_filtered if a seccomp filter may have caused
 * this errno.  `is_filtered` is called only if the result depends on it.  Context: any. */
const struct perf_error *perf_errors_explain(int err, bool (*is_filtered)(void));

#endif

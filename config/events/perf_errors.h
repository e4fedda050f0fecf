/*
 * What an errno of perf_event_open(2) means to a user: one sentence for each that its manual
 * page names, and for those of mapping the counter.  Pure text, for the target and the command.
 */
#ifndef CONFIG_EVENTS_PERF_ERRORS_H
#define CONFIG_EVENTS_PERF_ERRORS_H

#include <stddef.h>

struct perf_error {
	int err;	    /* positive */
	const char *name;   /* NULL: no answer of the kernel, but of our own looking */
	const char *cause;  /* a clause without its full stop */
	const char *remedy; /* what to do about it; NULL: nothing is known */
};

extern const struct perf_error perf_errors_table[];
extern const size_t perf_errors_count;

/* The row for EPERM and ENOSYS where the process runs under a seccomp filter. */
extern const struct perf_error perf_errors_filtered;

/* The row of an errno (of either sign); NULL if the manual page does not name it.
 * Context: any. */
const struct perf_error *perf_errors_find(int err);

#endif

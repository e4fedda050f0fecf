/*
 * Trying counters on the calling thread, as a profiled thread would open them, and closing them
 * again: what `flametrap events` and `flametrap doctor` say was seen, not guessed.
 */
#ifndef RUNTIME_COMMAND_BASE_TRIAL_H
#define RUNTIME_COMMAND_BASE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/events/perf_errors.h"

struct perf_event_attr;

/* How a counter opened, at its best. */
struct trial {
	int err;      /* 0, or the last -errno */
	bool kernel;  /* with the kernel's side */
	bool sigtrap; /* with SIGTRAP on overflow */
};

/* An attribute that samples every `period` events. */
void trial_attr(struct perf_event_attr *attr, uint32_t type, uint64_t config, uint64_t period);

/* Open it once.  Returns a descriptor that the caller closes, or -errno. */
int trial_open(const struct perf_event_attr *attr);

/* Find the best form in which it opens: with both sides and SIGTRAP, else with less. */
struct trial trial_best(const struct perf_event_attr *attr);

/* A number in a one-line file; fallback if it cannot be read. */
int64_t trial_number(const char *path, int64_t fallback);

/* The first line of a file without its newline; false if it cannot be read or is empty. */
bool trial_line(const char *path, char *line, size_t bytes);

/* Whether this process runs under a seccomp filter; its effective capability `bit`. */
bool trial_filtered(void);
bool trial_capable(unsigned bit);

/* Cause and remedy of an -errno of a trial, the remedy NULL where none is known.  A cause that is
 * libc's text lives until the next call.  Context: one thread. */
struct perf_error trial_error(int err);

/* The same in one line, with "; " between the two. */
void trial_reason(int err, char *line, size_t bytes);

#endif

/*
 * A profile with a made-up timeline, for tests of the formats with time: one process "target" with
 * two threads, a few frames of each kind, and samples as the test adds them.  The state of a case
 * is one with one counter.
 */
#ifndef TESTS_SUPPORT_TIMED_PROFILE_H
#define TESTS_SUPPORT_TIMED_PROFILE_H

#include <stdint.h>
#include <stdio.h>

#include "runtime/output/formats/format_content.h"
#include "runtime/profile/time/timeline.h"

struct profile;

/* Stacks of the profile; each but the first is called by the one before. */
enum timed_profile_stack {
	TIMED_PROFILE_MAIN,    /* [program] */
	TIMED_PROFILE_LIBRARY, /* [lib.so] */
	TIMED_PROFILE_SCRIPT,  /* a function of Python with a hostile name */
	TIMED_PROFILE_KERNEL,  /* a kernel function */
	TIMED_PROFILE_NONE,    /* the sample is not selected */
};

#define TIMED_PROFILE_START 1000000000000U /* CLOCK_MONOTONIC of time 0 */
#define TIMED_PROFILE_NAME  "\xff\"<\n>"   /* of the second thread */

struct timed_profile {
	struct profile *profile;
	struct timeline timeline;
	struct timeline_track tracks[2];
	struct timeline_process process;
	struct timeline_label labels[3];
	struct spool_read_trace trace;
	struct timeline_mark marks[2];
};

/* Make it anew with counters: "task-clock" in ns, then "off-cpu" spans, then "counter2" and so on.
 */
void timed_profile_counters(struct timed_profile *made, unsigned counters);

/* Add a sample, in the order of time, and return it for changes. */
struct timeline_sample *timed_profile_sample(struct timed_profile *made, uint64_t time_ns,
					     uint32_t track, enum timed_profile_stack stack,
					     uint32_t counter, uint64_t samples, uint64_t events);

/* Add a text to those of the profile. */
uint32_t timed_profile_text(struct timed_profile *made, const char *text);

/* What is written then is that of `write` (written.h). */
void timed_profile_write(const struct timed_profile *made, format_writer *write);

#endif

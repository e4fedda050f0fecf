/* Made-up processes whose samples have times, and profiles of them. */
#ifndef TESTS_SUPPORT_TIMED_PROCESS_H
#define TESTS_SUPPORT_TIMED_PROCESS_H

#include "runtime/profile/merge/profile.h"
#include "tests/support/spool_builder.h"

#define TIMED_S	       1000000000ull
#define TIMED_REALTIME (1795392000 * TIMED_S) /* 2026-11-23T00:00:00Z */

/* A process that started `realtime_s` seconds after TIMED_REALTIME, when its CLOCK_MONOTONIC showed
 * `start_s`, and ended 10 s later; its functions `work` and `idle` are Python's. */
struct timed_process {
	struct spool_builder builder;
	struct spool_builder_thread thread;
	uint32_t node[2]; /* work, and idle below it */
};

/* A process of pid 4242 with two counters, and its thread `main` of that number.  Other threads
 * have no node yet. */
struct timed_process timed_process_new(uint64_t realtime_s, uint64_t start_s);
struct spool_builder_thread timed_process_thread(struct timed_process *process, uint32_t tid,
						 const char *name);

/* Add a sample of the first counter to `main`. */
void timed_process_take(struct timed_process *process, uint64_t time_ns, unsigned node,
			uint64_t events);

/* The profile of the case, which unit_teardown() frees, of some processes, which are freed here.
 * Returns its timeline; for NULL as options these ask for that alone. */
const struct timeline *timed_process_read(const struct profile_options *options,
					  struct timed_process *processes, size_t count);

/* Returns the name of a node of the profile's call tree, or a text of the profile. */
const char *timed_process_name(uint32_t node);
const char *timed_process_text(uint32_t number);

/* Abort unless the samples of each node, and of the stacks that are not selected, add up to its
 * weights. */
void timed_process_check_sums(void);

#endif

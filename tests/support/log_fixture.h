/*
 * A spool with one thread, for tests of its log.
 */
#ifndef TESTS_SUPPORT_LOG_FIXTURE_H
#define TESTS_SUPPORT_LOG_FIXTURE_H

#include "runtime/profile/spool/spool_read.h"
#include "tests/support/spool_builder.h"

#define LOG_FIXTURE_BASE 5000000000ull

/* Two counters; one thread with two nodes. */
struct log_fixture {
	struct spool_builder builder;
	struct spool_builder_thread thread;
	uint32_t node[2];
	struct spool_read spool;
	char line[512];
};

/* For unit_setup() and unit_teardown(). */
int log_fixture_setup(void **state);
int log_fixture_teardown(void **state);

/* Read the spool with its logs.  Returns like spool_read_timed_fd(). */
int log_fixture_read(struct log_fixture *f);

const struct spool_read_log *log_fixture_log(const struct log_fixture *f);

/* Add a sample of the first counter, with the weight of its node; and any entry. */
void log_fixture_take(struct log_fixture *f, uint64_t time_ns, unsigned node, uint64_t samples,
		      uint64_t events);
struct spool_log_entry *log_fixture_entry(struct log_fixture *f, uint64_t head, uint64_t body);

#endif

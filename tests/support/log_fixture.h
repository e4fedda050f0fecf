/* A spool with two counters and one thread of two nodes, for tests of its log. */
#ifndef TESTS_SUPPORT_LOG_FIXTURE_H
#define TESTS_SUPPORT_LOG_FIXTURE_H

#include "tests/support/spool_fixture.h"

#define LOG_FIXTURE_BASE 5000000000ull

/* For unit_setup(); and begin with a new spool. */
int log_fixture_setup(void **state);
void log_fixture_begin(struct spool_fixture *f);

const struct spool_read_log *log_fixture_log(const struct spool_fixture *f);

/* Add a sample of the first counter, with the weight of its node; and any entry. */
void log_fixture_take(struct spool_fixture *f, uint64_t time_ns, unsigned node, uint64_t samples,
		      uint64_t events);
struct spool_log_entry *log_fixture_entry(struct spool_fixture *f, uint64_t head, uint64_t body);

#endif

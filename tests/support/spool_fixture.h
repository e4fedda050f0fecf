/*
 * A spool that is built and read, for tests of the reader.  A program that calls one of these
 * functions has its unit_teardown() from here.
 */
#ifndef TESTS_SUPPORT_SPOOL_FIXTURE_H
#define TESTS_SUPPORT_SPOOL_FIXTURE_H

#include "runtime/profile/spool/spool_read.h"
#include "tests/support/spool_builder.h"

struct spool_fixture {
	struct spool_builder builder;
	struct spool_builder_thread thread;
	struct spool_code *code[2];
	uint32_t node[3];
	struct spool_read spool;
	char line[512];
};

/* The state of a case: an empty spool that may grow to
 * size_bytes.  It is freed when the case ends. */
struct spool_fixture *spool_fixture_new(void **state, uint32_t counters, size_t size_bytes);

/* Read the spool as it is now.  Return like spool_read_fd() and spool_read_timed_fd(). */
int spool_fixture_read(struct spool_fixture *f);
int spool_fixture_read_timed(struct spool_fixture *f);

#endif

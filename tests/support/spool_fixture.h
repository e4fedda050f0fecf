/*
 * A spool that is built and read, for tests of readers and of profiles.  A program that calls one
 * of these functions has its unit_teardown() from here, unless it has one that frees the fixture.
 */
#ifndef TESTS_SUPPORT_SPOOL_FIXTURE_H
#define TESTS_SUPPORT_SPOOL_FIXTURE_H

#include "runtime/profile/merge/profile.h"
#include "runtime/profile/spool/spool_read.h"
#include "tests/support/spool_builder.h"

struct spool_fixture {
	struct spool_builder builder;
	struct spool_builder_thread thread;
	struct spool_code *code[2];
	uint32_t node[3];
	bool timed; /* logs are read, too */
	struct spool_read spool;
	struct profile *profile;
	char line[512];
};

/* The state of a case: an empty spool that may grow to size_bytes.  It is freed when the case ends.
 */
struct spool_fixture *spool_fixture_new(void **state, uint32_t counters, size_t size_bytes);

int spool_fixture_free(struct spool_fixture *f);

/* Put another one in its place. */
void spool_fixture_again(struct spool_fixture *f, uint32_t counters);

/* Read the spool as it is now, whole or up to a byte.  Return like spool_read_fd(). */
int spool_fixture_read(struct spool_fixture *f);
int spool_fixture_read_cut(struct spool_fixture *f, uint64_t bytes);

/* Add it to the profile, which is made with these options if there is none.  Returns like
 * profile_read(). */
int spool_fixture_add(struct spool_fixture *f, const struct profile_options *options);

/* The profile's folded stacks are these. */
void spool_fixture_folds(const struct spool_fixture *f, unsigned counter,
			 enum settings_weight weight, const char *expected);

#endif

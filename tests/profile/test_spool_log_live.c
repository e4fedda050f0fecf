/* The log of a live process may be thinned while it is read.  Then it is read again, and chunks
 * that were released meanwhile are no damage, nor are those of threads that ended. */
#include <sys/types.h>

#include "runtime/profile/spool/spool_check.h"
#include "tests/support/log_fixture.h"
#include "tests/support/unit.h"

int unit_setup(void **state)
{
	int err = log_fixture_setup(state);
	struct spool_fixture *f = *state;

	spool_builder_header(&f->builder)->state = SPOOL_RUNNING;
	return err;
}

static void (*change)(int fd); /* what the process does before its slot is read again */
static struct spool_fixture *changed;

int __real_spool_check_pread_thread(int fd, const struct spool_header *header, uint64_t at,
				    struct spool_thread *thread);
int __wrap_spool_check_pread_thread(int fd, const struct spool_header *header, uint64_t at,
				    struct spool_thread *thread);

int __wrap_spool_check_pread_thread(int fd, const struct spool_header *header, uint64_t at,
				    struct spool_thread *thread)
{
	if (change)
		change(fd);
	return __real_spool_check_pread_thread(fd, header, at, thread);
}

static void write_back(int fd)
{
	size_t used = spool_builder_header(&changed->builder)->used_bytes;

	assert_int_equal(pwrite(fd, changed->builder.bytes, used, 0), (ssize_t)used);
}

/* The first chunk of the log is free, as the reader of the old slot found it; another one has the
 * samples of both. */
static void thin(int fd)
{
	change = NULL;
	changed->thread.slot->first_log = 0;
	changed->thread.slot->log_changes++;
	changed->thread.last_log = 0;
	log_fixture_take(changed, LOG_FIXTURE_BASE + 9, 1, 2, 30);
	write_back(fd);
}

TEST(a_log_that_is_thinned_is_read_again)
{
	struct spool_fixture *f = changed = *state;

	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 10);
	log_fixture_take(f, LOG_FIXTURE_BASE + 9, 1, 1, 20);
	((struct spool_chunk *)(f->builder.bytes + f->thread.last_log))->kind = SPOOL_CHUNK_FREE;
	change = thin;
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(log_fixture_log(f)->sample_count, 1);
	assert_int_equal(log_fixture_log(f)->samples[0].events, 30);
	assert_int_equal(f->spool.threads[0].node_count, 2);
}

static void grow_log(int fd)
{
	change = NULL;
	log_fixture_take(changed, LOG_FIXTURE_BASE + 9, 1, 1, 20);
	write_back(fd);
}

TEST(a_log_that_grows_is_read_once)
{
	struct spool_fixture *f = changed = *state;

	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 10);
	change = grow_log;
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(log_fixture_log(f)->sample_count, 1);
}

static void thin_again(int fd)
{
	changed->thread.slot->log_changes++;
	write_back(fd);
}

TEST(a_log_that_changes_without_end_is_damage)
{
	struct spool_fixture *f = changed = *state;

	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 10);
	change = thin_again;
	assert_int_equal(spool_fixture_read(f), 1);
	change = NULL;
	assert_int_equal(log_fixture_log(f)->sample_count, 1);
}

static struct spool_builder_thread next;

/* The first thread has ended, and its chunk of nodes is the first of the next thread. */
static void end_thread(int fd)
{
	change = NULL;
	next.slot->first_chunk = changed->thread.slot->first_chunk;
	changed->thread.slot->first_chunk = 0;
	changed->thread.slot->state = SPOOL_THREAD_FREE;
	write_back(fd);
}

static void end_nothing(int fd)
{
	(void)fd;
	change = end_thread;
}

/* The thread's own slot was read for the second time, and was as before. */
TEST(a_chunk_of_a_thread_that_ended_since_belongs_to_another)
{
	struct spool_fixture *f = changed = *state;

	next = spool_builder_thread(&f->builder, 4243, "next");
	spool_builder_node(&f->builder, &next, 0x7000, 0);
	change = end_nothing;
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(f->spool.thread_count, 2);
	assert_int_equal(f->spool.threads[0].node_count, 2);
	assert_int_equal(f->spool.threads[1].node_count, 2);
}

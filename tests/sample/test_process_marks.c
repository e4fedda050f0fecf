/* Marks of the process, up to their bound: those that are kept are the first ones, in order, and
 * further ones change nothing. */

#include "runtime/sample/log/process_marks.h"
#include "tests/support/log_made_up.h"
#include "tests/support/unit.h"

#define CHUNKS_MAX 16
#define MANY	   100000

UNIT(setup)
{
	return log_made_up(256, 128);
}

UNIT(teardown)
{
	process_marks_stop();
	return spool_own_close();
}

/* Marks that are kept, whose values must be 0, 1, 2 …; and their chunks. */
static unsigned kept(unsigned *chunks)
{
	uint64_t offset = spool_own.header->first_mark;
	unsigned marks = 0;

	for (*chunks = 0; offset; ++*chunks) {
		const struct spool_chunk *chunk = spool_alloc_at(&spool_own, offset);
		const struct spool_log_entry *entry =
			(const void *)((const char *)chunk + SPOOL_CHUNK_HEAD);

		assert_in_range(chunk->count, 1, SPOOL_LOG_ENTRIES);
		for (uint32_t i = 0; i < chunk->count; i++)
			if (spool_log_kind(entry[i].head) == SPOOL_LOG_MARK)
				assert_int_equal(entry[i].body, marks++);
		offset = chunk->next;
	}
	return marks;
}

TEST(marks_up_to_the_bound_are_kept_and_further_ones_are_not)
{
	unsigned chunks, marks, most = 0;

	process_marks_start(&spool_own);
	for (unsigned i = 0; i < MANY; i++)
		process_marks_add(SPOOL_MARK_FORK, i);
	most = kept(&chunks);
	assert_int_equal(chunks, CHUNKS_MAX);
	assert_true(most > 1000 && most < MANY);
	for (unsigned number = most - 1; number <= most + 1; number++) {
		unit_teardown(NULL);
		unit_setup(NULL);
		process_marks_start(&spool_own);
		for (unsigned i = 0; i < number; i++)
			process_marks_add(SPOOL_MARK_FORK, i);
		marks = kept(&chunks);
		assert_int_equal(marks, number < most ? number : most);
		assert_int_equal(chunks, CHUNKS_MAX);
	}
}

TEST(without_a_timeline_none_is_kept)
{
	unsigned chunks;

	log_made_up_again(256, 0);
	process_marks_start(&spool_own);
	process_marks_add(SPOOL_MARK_FORK, 0);
	assert_int_equal(kept(&chunks), 0);
	assert_int_equal(chunks, 0);
}

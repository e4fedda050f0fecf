/* The log of a thread: every weight with its time, exactly.  Marks of the process, up to their
 * bound: the first ones are kept, in order, and further ones change nothing. */

#include <string.h>

#include "runtime/sample/log/log.h"
#include "tests/support/log_made_up.h"
#include "tests/support/unit.h"

#define START_NS 5000000000ULL

static struct log *const first = &log_of[0];

UNIT(setup)
{
	if (log_made_up(256, 128))
		return -1;
	log_made_up_thread(0);
	return 0;
}

UNIT(teardown)
{
	process_marks_stop();
	return spool_own_close();
}

static const struct log_found *found_of(unsigned which, size_t expected)
{
	log_made_up_walk(&log_slots[which]);
	assert_int_equal(log_walked.count, expected);
	return log_walked.found;
}

TEST(a_sample_has_its_time_its_node_and_its_weight)
{
	struct log *seventh = log_made_up_thread(7);
	const struct log_found *found;

	log_made_up_add(seventh, START_NS, 77, 2, 1, 1000000);
	log_made_up_add(seventh, START_NS + 5, 78, 3, 0, 9);
	found = found_of(7, 2);
	assert_int_equal(found[0].kind, SPOOL_LOG_SAMPLE);
	assert_int_equal(found[0].time_ns, START_NS);
	assert_int_equal(found[0].node, 77);
	assert_int_equal(found[0].counter, 2);
	assert_int_equal(found[0].samples, 1);
	assert_int_equal(found[0].events, 1000000);
	assert_int_equal(found[0].tid, 8);
	assert_int_equal(found[0].start_ns, 1007);
	assert_int_equal(found[1].time_ns, START_NS + 5);
	assert_int_equal(found[1].samples, 0);
	assert_int_equal(found[1].events, 9);
}

TEST(an_entry_without_a_weight_is_left_out)
{
	log_made_up_group(first, START_NS, 7, 100, 0);
	log_made_up_add(first, START_NS, 7, 0, 0, 0);
	found_of(0, 1);
}

TEST(long_values_are_exact)
{
	static const uint64_t values[] = { 255, 256, UINT32_MAX, UINT32_MAX + 1ULL, UINT64_MAX };
	const struct log_found *found;

	for (unsigned i = 0; i < 5; i++) {
		uint64_t samples = values[i] >> 4;

		log_made_up_add(first, START_NS, 7, 0, samples, values[i]);
		log_made_up_add(first, START_NS, 7, 0, (values[i] & 0xfffffff) | 1, 0);
	}
	found = found_of(0, 10);
	for (unsigned i = 0; i < 5; i++, found += 2) {
		assert_int_equal(found[0].samples, values[i] >> 4);
		assert_int_equal(found[0].events, values[i]);
		assert_int_equal(found[1].samples, (values[i] & 0xfffffff) | 1);
		assert_int_equal(found[1].events, 0);
	}
}

TEST(times_of_any_distance_are_exact)
{
	static const int64_t jumps[] = { 1,
					 -1,
					 SPOOL_LOG_TIME_MAX,
					 -SPOOL_LOG_TIME_MAX,
					 SPOOL_LOG_TIME_MAX + 1,
					 -SPOOL_LOG_TIME_MAX - 2,
					 1LL << 60,
					 -(1LL << 59) };
	const struct log_found *found;
	uint64_t time_ns = 1ULL << 61;

	for (unsigned i = 0; i < 8; i++, time_ns += (uint64_t)jumps[i - 1])
		log_made_up_add(first, time_ns, 7, 0, 1, 1);
	found = found_of(0, 8);
	time_ns = 1ULL << 61;
	for (unsigned i = 0; i < 8; i++, time_ns += (uint64_t)jumps[i - 1])
		assert_int_equal(found[i].time_ns, time_ns);
	assert_true(log_walked.chunks > 1);
}

TEST(a_group_is_in_one_chunk_with_one_time)
{
	const struct log_found *found;

	for (unsigned i = 0; i < 2000; i++)
		log_made_up_group(first, START_NS + i, 100 + i, 1ULL << 40, i % 3 ? 1ULL << 50 : 5);
	found = found_of(0, 4000);
	for (unsigned i = 0; i < 2000; i++, found += 2) {
		assert_int_equal(found[0].kind, SPOOL_LOG_SAMPLE);
		assert_int_equal(found[1].kind, SPOOL_LOG_MEMBER);
		assert_int_equal(found[1].events, i % 3 ? 1ULL << 50 : 5);
		assert_int_equal(found[0].node, 100 + i);
		assert_int_equal(found[1].node, 100 + i);
		assert_int_equal(found[0].chunk, found[1].chunk);
		assert_int_equal(found[0].time_ns, found[1].time_ns);
	}
	assert_true(log_walked.chunks > 8);
}

TEST(each_chunk_says_what_its_samples_carry)
{
	struct labels *labels = &log_labels[0];
	const struct log_found *found;

	for (unsigned i = 0; i < 3000; i++) {
		atomic_store(&labels->set, i / 700);
		labels->trace.trace[0] = i / 900;
		labels->trace.trace[1] = i / 1100;
		labels->trace.span = i / 1300 * 0x100000001;
		log_made_up_group(first, START_NS + i, 7, 1, 1);
	}
	found = found_of(0, 6000);
	for (unsigned i = 0; i < 6000; i++) {
		assert_int_equal(found[i].labels, i / 2 / 700);
		assert_int_equal(found[i].trace[0], i / 2 / 900);
		assert_int_equal(found[i].trace[1], i / 2 / 1100);
		assert_int_equal(found[i].span, i / 2 / 1300 * 0x100000001);
	}
}

TEST(a_label_that_is_lacking_is_none)
{
	atomic_store(&log_labels[0].set, 3 | LABELS_LACKING);
	log_made_up_add(first, START_NS, 7, 0, 1, 1);
	assert_int_equal(found_of(0, 1)->labels, 3);
}

TEST(marks_are_entries_of_their_own)
{
	const struct log_found *found;

	log_mark(first, SPOOL_MARK_THROTTLED, START_NS, 2);
	log_mark(first, SPOOL_MARK_SLOWER, START_NS + 1, UINT64_MAX);
	log_end(first, START_NS + 2);
	found = found_of(0, 3);
	assert_int_equal(found[0].kind, SPOOL_LOG_MARK);
	assert_int_equal(found[0].counter, SPOOL_MARK_THROTTLED);
	assert_int_equal(found[0].events, 2);
	assert_int_equal(found[1].events, UINT64_MAX);
	assert_int_equal(found[2].kind, SPOOL_LOG_END);
	assert_int_equal(found[2].time_ns, START_NS + 2);
}

TEST(the_window_is_marked_where_it_changed)
{
	const struct log_found *found;

	log_window(first, START_NS, true); /* it was like that before */
	found_of(0, 0);
	atomic_store(&spool_own.header->window_from_ns, START_NS + 5);
	log_window(first, START_NS + 8, false);
	log_window(first, START_NS + 9, false);
	atomic_store(&spool_own.header->window_to_ns, START_NS + 20);
	log_window(first, START_NS + 21, true);
	atomic_store(&spool_own.header->window_from_ns, START_NS + 70); /* and changed again */
	log_window(first, START_NS + 60, false);
	found = found_of(0, 3);
	assert_int_equal(found[0].counter, SPOOL_MARK_START);
	assert_int_equal(found[0].time_ns, START_NS + 5);
	assert_int_equal(found[1].counter, SPOOL_MARK_STOP);
	assert_int_equal(found[1].time_ns, START_NS + 20);
	assert_int_equal(found[2].time_ns, START_NS + 60);
}

TEST(an_end_fits_into_every_log)
{
	for (unsigned samples = 1; samples < 600; samples++) {
		log_made_up_again(256, 1);
		log_made_up_thread(0);
		for (unsigned i = 0; i < samples; i++)
			log_made_up_add(first, START_NS + i, 7, 0, 1, 1);
		log_end(first, UINT64_MAX);
		log_made_up_walk(&log_slots[0]);
		assert_int_equal(log_walked.found[log_walked.count - 1].kind, SPOOL_LOG_END);
		assert_int_equal(log_walk_samples(&log_walked, 0, 0), samples);
	}
}

TEST(without_a_timeline_nothing_is_written)
{
	uint64_t used;

	log_made_up_again(256, 0);
	used = spool_own.header->used_bytes;
	log_made_up_thread(0);
	for (unsigned i = 0; i < 1000; i++)
		log_made_up_group(first, START_NS + i, 7, 1, 1);
	log_mark(first, SPOOL_MARK_THROTTLED, START_NS, 2);
	log_window(first, START_NS, true);
	log_window(first, START_NS, false);
	log_end(first, START_NS);
	found_of(0, 0);
	assert_int_equal(spool_own.header->used_bytes, used);
	assert_int_equal(log_slots[0].count[SPOOL_COUNT_LOG_DROPPED], 0);
}

TEST(a_spool_that_is_full_drops_samples_and_counts_them)
{
	const unsigned samples = 3000;
	uint64_t kept;

	spool_own.size_bytes = spool_own.header->used_bytes; /* no chunk is left, not even one */
	for (unsigned i = 0; i < samples; i++)
		log_made_up_group(first, START_NS + i, 7, 1, 1);
	found_of(0, 0);
	kept = log_walk_samples(&log_walked, 0, 0);
	assert_int_equal(kept + log_slots[0].count[SPOOL_COUNT_LOG_DROPPED], samples);
	spool_own.size_bytes = 256UL * SPOOL_CHUNK_BYTES;
}

#define CHUNKS_MAX 16
#define MANY	   100000

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

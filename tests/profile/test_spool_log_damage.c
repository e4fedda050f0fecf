/* What cannot be read of a log is reported with its place, and everything else stays. */
#include "tests/support/log_fixture.h"
#include "tests/support/unit.h"

int unit_setup(void **state)
{
	return log_fixture_setup(state);
}

/* The first damage is at this entry. */
static void assert_damage_at(const struct spool_fixture *f, const void *entry)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "the.spool: byte %llu: ",
		 (unsigned long long)((const unsigned char *)entry - f->builder.bytes));
	if (strncmp(f->line, expected, strlen(expected)) != 0)
		fail_msg("\"%s\" does not start with \"%s\"", f->line, expected);
}

/* Each of them is reported, and the sample behind it stays. */
TEST_OF(struct spool_fixture *f, an_entry_that_cannot_be_read_is_left_out)
{
	static const struct {
		uint64_t head, body;
	} wrong[] = {
		{ 0, 0 },
		{ 15, 0 },
		{ SPOOL_LOG_MARK, 0 },
		{ SPOOL_LOG_MARK | 15 << 4, 0 },
		{ SPOOL_LOG_SAMPLE | 2 << 4, 0 },
		{ SPOOL_LOG_SAMPLE | 1ull << 63, 0 },
		{ SPOOL_LOG_TRACE_REST, 0 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct spool_log_entry *entry;

		log_fixture_begin(f);
		log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 1);
		entry = log_fixture_entry(f, wrong[i].head, wrong[i].body);
		log_fixture_take(f, LOG_FIXTURE_BASE + 1, 1, 1, 1);
		assert_int_equal(spool_fixture_read(f), 1);
		assert_damage_at(f, entry);
		assert_int_equal(log_fixture_log(f)->sample_count, 2);
		assert_int_equal(log_fixture_log(f)->samples[1].node, 1);
	}
}

TEST_OF(struct spool_fixture *f, a_sample_of_a_node_that_is_not_there_is_left_out)
{
	struct spool_builder_thread other = spool_builder_thread(&f->builder, 8, "other");
	uint32_t foreign = spool_builder_node(&f->builder, &other, 0x1300, 0);
	const uint32_t wrong[] = { 0,
				   foreign,
				   f->node[0] + 1,
				   f->node[1] + 3,
				   (uint32_t)(f->thread.last_nodes / SPOOL_NODE_UNIT),
				   UINT32_MAX };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		log_fixture_entry(f, SPOOL_LOG_SAMPLE | 1 << 8, wrong[i]);
	log_fixture_take(f, LOG_FIXTURE_BASE, 1, 1, 1);
	assert_int_equal(spool_fixture_read(f), 1);
	assert_damage_at(f, &f->thread.slot->first_log);
	assert_int_equal(log_fixture_log(f)->sample_count, 1);
	assert_int_equal(log_fixture_log(f)->samples[0].node, 1);
}

TEST_OF(struct spool_fixture *f, an_entry_without_the_one_that_belongs_to_it_is_damage)
{
	struct spool_log_entry *entry;

	log_fixture_entry(f, SPOOL_LOG_MORE, 99);
	entry = log_fixture_entry(f, spool_log_head(SPOOL_LOG_END, 0, 0, 0), 0);
	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 5);
	assert_int_equal(spool_fixture_read(f), 1);
	assert_damage_at(f, entry);
	assert_int_equal(log_fixture_log(f)->samples[0].events, 5);
}

/* Whoever was killed between the two entries left the first one. */
TEST_OF(struct spool_fixture *f, the_last_entry_of_a_killed_process_may_be_half)
{
	static const enum spool_log_kind halves[] = { SPOOL_LOG_MORE, SPOOL_LOG_TRACE };

	for (unsigned i = 0; i < 4; i++) {
		log_fixture_begin(f);
		log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 5);
		log_fixture_entry(f, halves[i / 2], 99);
		if (i % 2)
			spool_builder_header(&f->builder)->state = SPOOL_RUNNING;
		assert_int_equal(spool_fixture_read(f), i % 2 ? 0 : 1);
		assert_int_equal(log_fixture_log(f)->sample_count, 1);
	}
}

TEST_OF(struct spool_fixture *f, a_chunk_without_a_thread_is_damage)
{
	struct spool_log_entry *first;

	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 5);
	first = (void *)(f->builder.bytes + f->thread.last_log + SPOOL_CHUNK_HEAD);
	*first = first[1];
	assert_int_equal(spool_fixture_read(f), 1);
	assert_damage_at(f, first);
	assert_int_equal(log_fixture_log(f)->sample_count, 2);
	assert_int_equal(log_fixture_log(f)->runs[0].tid, 0);
}

TEST_OF(struct spool_fixture *f, a_base_that_leaves_no_room_for_times_is_damage)
{
	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 5);
	((struct spool_chunk *)(f->builder.bytes + f->thread.last_log))->base_ns = UINT64_MAX;
	assert_int_equal(spool_fixture_read(f), 1);
	assert_int_equal(log_fixture_log(f)->sample_count, 0);
}

TEST_OF(struct spool_fixture *f, a_label_set_that_is_not_there_is_none)
{
	log_fixture_entry(f, SPOOL_LOG_LABELS, 1);
	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 5);
	log_fixture_entry(f, SPOOL_LOG_LABELS, 1ull << 32);
	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 5);
	assert_int_equal(spool_fixture_read(f), 1);
	assert_int_equal(log_fixture_log(f)->samples[0].labels, 0);
	assert_int_equal(log_fixture_log(f)->samples[1].labels, 0);
}

TEST_OF(struct spool_fixture *f, labels_refer_to_earlier_ones_only)
{
	spool_builder_label(&f->builder, 0, "a", "1");
	spool_builder_label(&f->builder, 2, "b", "2");
	spool_builder_label(&f->builder, 9, "c", "3");
	assert_int_equal(spool_fixture_read(f), 1);
	assert_int_equal(f->spool.label_count, 3);
	assert_int_equal(f->spool.labels[1].below, 0);
	assert_int_equal(f->spool.labels[2].below, 0);
}

TEST_OF(struct spool_fixture *f, label_sets_do_not_grow_without_end)
{
	uint32_t longest = 0;

	for (uint32_t i = 0; i < 5000; i++)
		spool_builder_label(&f->builder, i, "a", "1");
	assert_int_equal(spool_fixture_read(f), 1);
	for (uint32_t i = 1; i <= f->spool.label_count; i++) {
		uint32_t length = 0;

		for (uint32_t at = i; at; at = f->spool.labels[at - 1].below)
			length++;
		longest = length > longest ? length : longest;
	}
	assert_in_range(longest, SPOOL_LABEL_SET_MAX, 8 * SPOOL_LABEL_SET_MAX);
}

TEST_OF(struct spool_fixture *f, samples_among_the_marks_are_damage)
{
	spool_builder_entry(&f->builder, NULL, SPOOL_LOG_SAMPLE, f->node[0], 0);
	assert_int_equal(spool_fixture_read(f), 1);
	assert_int_equal(f->spool.marks.sample_count, 0);
}

/* Each log is read at most twice, although all of 500 threads name it. */
TEST_OF(struct spool_fixture *f, logs_that_share_chunks_are_damage)
{
	for (unsigned running = 0; running < 2; running++) {
		size_t samples = 0;

		log_fixture_begin(f);
		log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 5);
		for (uint32_t i = 0; i < 500; i++)
			spool_builder_thread(&f->builder, 100 + i, "other").slot->first_log =
				f->thread.slot->first_log;
		if (running)
			spool_builder_header(&f->builder)->state = SPOOL_RUNNING;
		assert_int_equal(spool_fixture_read(f), 1);
		for (size_t i = 0; i < f->spool.thread_count; i++)
			samples += f->spool.threads[i].log.sample_count;
		assert_in_range(samples, 1, 1 + (1 << 20) / SPOOL_CHUNK_BYTES);
	}
}

TEST_OF(struct spool_fixture *f, a_spool_cut_anywhere_gives_the_samples_before)
{
	uint64_t used;

	for (unsigned i = 0; i < 100; i++)
		log_fixture_take(f, LOG_FIXTURE_BASE + i, 0, 1, 5);
	used = spool_builder_header(&f->builder)->used_bytes;
	for (uint64_t size = used - SPOOL_CHUNK_BYTES; size < used; size += 16) {
		assert_int_equal(spool_fixture_read_cut(f, size), 1);
		assert_in_range(log_fixture_log(f)->sample_count, 0, 100);
		for (size_t i = 0; i < log_fixture_log(f)->sample_count; i++)
			assert_int_equal(log_fixture_log(f)->samples[i].time_ns,
					 LOG_FIXTURE_BASE + i);
	}
}

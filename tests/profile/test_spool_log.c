/* The log of a thread gives each sample its time, its thread and its labels.  What cannot be read
 * of it is reported with its place, and everything else stays. */
#include "tests/support/log_fixture.h"
#include "tests/support/unit.h"

int unit_setup(void **state)
{
	return log_fixture_setup(state);
}

TEST_OF(struct spool_fixture *f, samples_have_their_time_and_node)
{
	const struct spool_read_log *log;

	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 100);
	log_fixture_take(f, LOG_FIXTURE_BASE + 5, 1, 1, 200);
	log_fixture_take(f, LOG_FIXTURE_BASE - 3, 1, 2, 300);
	assert_int_equal(spool_fixture_read(f), 0);
	log = log_fixture_log(f);
	assert_int_equal(log->sample_count, 3);
	assert_int_equal(log->samples[0].time_ns, LOG_FIXTURE_BASE);
	assert_int_equal(log->samples[1].time_ns, LOG_FIXTURE_BASE + 5);
	assert_int_equal(log->samples[2].time_ns, LOG_FIXTURE_BASE - 3);
	assert_int_equal(log->samples[0].node, 0);
	assert_int_equal(log->samples[2].node, 1);
	assert_int_equal(log->samples[2].samples, 2);
	assert_int_equal(log->samples[2].events, 300);
	assert_int_equal(log->run_count, 1);
	assert_int_equal(log->runs[0].tid, 7);
	assert_int_equal(log->runs[0].start_ns, LOG_FIXTURE_BASE - 9);
	assert_int_equal(log->runs[0].end_ns, 0);
}

TEST_OF(struct spool_fixture *f, logs_are_read_only_on_request)
{
	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 100);
	spool_builder_mark(&f->builder, NULL, SPOOL_MARK_EXEC, LOG_FIXTURE_BASE, 0);
	spool_builder_label(&f->builder, 0, "key", "value");
	f->timed = false;
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(log_fixture_log(f)->sample_count, 0);
	assert_int_equal(f->spool.marks.mark_count, 0);
	assert_int_equal(f->spool.label_count, 0);
	assert_int_equal(f->spool.threads[0].node_count, 2);
}

TEST_OF(struct spool_fixture *f, a_log_of_many_chunks_has_all_samples)
{
	const struct spool_read_log *log;

	for (uint64_t i = 0; i < 3000; i++)
		log_fixture_take(f, LOG_FIXTURE_BASE + 1000 * i, i % 2, 1, i);
	assert_int_equal(spool_fixture_read(f), 0);
	log = log_fixture_log(f);
	assert_int_equal(log->sample_count, 3000);
	assert_int_equal(log->run_count, 1);
	for (uint64_t i = 0; i < 3000; i++) {
		assert_int_equal(log->samples[i].time_ns, LOG_FIXTURE_BASE + 1000 * i);
		assert_int_equal(log->samples[i].node, i % 2);
		assert_int_equal(log->samples[i].events, i);
	}
}

TEST_OF(struct spool_fixture *f, long_values_come_in_an_entry_of_their_own)
{
	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 1ull << 40);
	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 256, 5);
	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 255, UINT32_MAX);
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(log_fixture_log(f)->sample_count, 3);
	assert_int_equal(log_fixture_log(f)->samples[0].events, 1ull << 40);
	assert_int_equal(log_fixture_log(f)->samples[0].samples, 1);
	assert_int_equal(log_fixture_log(f)->samples[1].samples, 256);
	assert_int_equal(log_fixture_log(f)->samples[1].events, 5);
	assert_int_equal(log_fixture_log(f)->samples[2].samples, 255);
	assert_int_equal(log_fixture_log(f)->samples[2].events, UINT32_MAX);
}

TEST_OF(struct spool_fixture *f, members_of_a_group_follow_its_sample)
{
	struct spool_builder_sample member = { .time_ns = LOG_FIXTURE_BASE,
					       .node = f->node[1],
					       .counter = 1,
					       .events = 77,
					       .member = true };

	log_fixture_take(f, LOG_FIXTURE_BASE, 1, 1, 100);
	spool_builder_take(&f->builder, &f->thread, &member);
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(log_fixture_log(f)->sample_count, 2);
	assert_int_equal(log_fixture_log(f)->samples[0].counter, 0);
	assert_int_equal(log_fixture_log(f)->samples[1].counter, 1);
	assert_int_equal(log_fixture_log(f)->samples[1].samples, 0);
	assert_int_equal(log_fixture_log(f)->samples[1].events, 77);
}

TEST_OF(struct spool_fixture *f, a_sum_has_the_logs_of_its_threads)
{
	const struct spool_read_log *log;

	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 1);
	log_fixture_entry(f, spool_log_head(SPOOL_LOG_END, 0, 0, 10), 0);
	log_fixture_entry(f, 8ull << 32 | SPOOL_LOG_THREAD, LOG_FIXTURE_BASE + 20);
	log_fixture_take(f, LOG_FIXTURE_BASE + 30, 1, 1, 1);
	assert_int_equal(spool_fixture_read(f), 0);
	log = log_fixture_log(f);
	assert_int_equal(log->run_count, 2);
	assert_int_equal(log->runs[0].end_ns, LOG_FIXTURE_BASE + 10);
	assert_int_equal(log->runs[1].tid, 8);
	assert_int_equal(log->runs[1].start_ns, LOG_FIXTURE_BASE + 20);
	assert_int_equal(log->samples[0].run, 0);
	assert_int_equal(log->samples[1].run, 1);
}

TEST_OF(struct spool_fixture *f, labels_hold_until_the_next_ones)
{
	uint32_t one = spool_builder_label(&f->builder, 0, "request", "GET /");
	uint32_t two = spool_builder_label(&f->builder, one, "user", "anna");
	const struct spool_label *label;

	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 1);
	spool_builder_labels(&f->builder, &f->thread, two);
	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 1);
	spool_builder_labels(&f->builder, &f->thread, 0);
	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 1);
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(log_fixture_log(f)->samples[0].labels, 0);
	assert_int_equal(log_fixture_log(f)->samples[1].labels, two);
	assert_int_equal(log_fixture_log(f)->samples[2].labels, 0);
	assert_int_equal(f->spool.label_count, 2);
	label = &f->spool.labels[1];
	assert_int_equal(label->below, one);
	assert_memory_equal(f->spool.texts + label->value.at, "anna", 4);
}

TEST_OF(struct spool_fixture *f, labels_do_not_hold_in_the_next_chunk)
{
	uint32_t one = spool_builder_label(&f->builder, 0, "request", "GET /");

	spool_builder_labels(&f->builder, &f->thread, one);
	f->thread.label_set = 0; /* the builder repeats it no more */
	for (unsigned i = 0; i < SPOOL_LOG_ENTRIES; i++)
		log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 1);
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(log_fixture_log(f)->samples[0].labels, one);
	assert_int_equal(log_fixture_log(f)->samples[SPOOL_LOG_ENTRIES - 1].labels, 0);
}

TEST_OF(struct spool_fixture *f, a_trace_comes_in_two_entries)
{
	static const uint8_t trace[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	static const uint8_t span[] = { 21, 22, 23, 24, 25, 26, 27, 28 };
	uint64_t words[2];
	uint32_t spans[2];

	memcpy(words, trace, sizeof(words));
	memcpy(spans, span, sizeof(spans));
	log_fixture_entry(f, (uint64_t)spans[0] << 32 | SPOOL_LOG_TRACE, words[0]);
	log_fixture_entry(f, (uint64_t)spans[1] << 32 | SPOOL_LOG_TRACE_REST, words[1]);
	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 1);
	log_fixture_entry(f, SPOOL_LOG_TRACE, 0);
	log_fixture_entry(f, SPOOL_LOG_TRACE_REST, 0);
	log_fixture_take(f, LOG_FIXTURE_BASE, 0, 1, 1);
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(log_fixture_log(f)->trace_count, 1);
	assert_memory_equal(log_fixture_log(f)->traces[0].trace, trace, sizeof(trace));
	assert_memory_equal(log_fixture_log(f)->traces[0].span, span, sizeof(span));
	assert_int_equal(log_fixture_log(f)->samples[0].trace, 1);
	assert_int_equal(log_fixture_log(f)->samples[1].trace, 0);
}

TEST_OF(struct spool_fixture *f, marks_are_those_of_threads_and_of_the_process)
{
	spool_builder_mark(&f->builder, &f->thread, SPOOL_MARK_THROTTLED, LOG_FIXTURE_BASE + 3, 1);
	spool_builder_mark(&f->builder, NULL, SPOOL_MARK_FORK, LOG_FIXTURE_BASE + 4, 4711);
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(log_fixture_log(f)->mark_count, 1);
	assert_int_equal(log_fixture_log(f)->marks[0].kind, SPOOL_MARK_THROTTLED);
	assert_int_equal(log_fixture_log(f)->marks[0].time_ns, LOG_FIXTURE_BASE + 3);
	assert_int_equal(f->spool.marks.mark_count, 1);
	assert_int_equal(f->spool.marks.marks[0].kind, SPOOL_MARK_FORK);
	assert_int_equal(f->spool.marks.marks[0].value, 4711);
	assert_int_equal(f->spool.marks.runs[0].tid, 4242);
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

/* The log of a thread gives each sample its time, its thread and its labels. */
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

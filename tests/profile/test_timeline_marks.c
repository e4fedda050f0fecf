/* Labels, traces and marks of all spools are in the timeline, each distinct one once. */
#include "runtime/profile/time/timeline.h"
#include "tests/support/timed_process.h"
#include "tests/support/unit.h"

static const struct timeline *timeline;

TEST(equal_labels_of_two_processes_are_one)
{
	struct timed_process processes[] = { timed_process_new(0, 100), timed_process_new(1, 101) };
	const struct timeline_label *labels;

	for (unsigned i = 0; i < 2; i++) {
		struct spool_builder *builder = &processes[i].builder;
		uint32_t below = i ? spool_builder_label(builder, 0, "other", "") : 0;
		uint32_t user = spool_builder_label(builder, 0, "user", "anna");

		(void)below;
		user = spool_builder_label(builder, user, "request", i ? "GET" : "POST");
		spool_builder_labels(builder, &processes[i].thread, user);
		timed_process_take(&processes[i], (102 + i) * TIMED_S, 0, 1);
	}
	timeline = timed_process_read(NULL, processes, 2);
	labels = timeline->labels;
	assert_int_equal(timeline->label_count, 4);
	assert_string_equal(timed_process_text(labels[0].value), "anna");
	assert_int_equal(timeline->samples[0].labels, 2);
	assert_int_equal(labels[1].below, 1);
	assert_string_equal(timed_process_text(labels[1].value), "POST");
	assert_int_equal(timeline->samples[1].labels, 4);
	assert_int_equal(labels[3].below, 1);
	assert_string_equal(timed_process_text(labels[2].value), "");
}

TEST(equal_traces_are_one)
{
	struct timed_process processes[] = { timed_process_new(0, 100), timed_process_new(1, 101) };

	for (unsigned i = 0; i < 2; i++) {
		spool_builder_entry(&processes[i].builder, &processes[i].thread,
				    7ull << 32 | SPOOL_LOG_TRACE, 11, 1);
		spool_builder_entry(&processes[i].builder, &processes[i].thread,
				    SPOOL_LOG_TRACE_REST, 0, 0);
		timed_process_take(&processes[i], (102 + i) * TIMED_S, 0, 1);
	}
	timeline = timed_process_read(NULL, processes, 2);
	assert_int_equal(timeline->trace_count, 1);
	assert_int_equal(timeline->traces[0].trace[0], 11);
	assert_int_equal(timeline->traces[0].span[0], 7);
	assert_int_equal(timeline->samples[0].trace, 1);
	assert_int_equal(timeline->samples[1].trace, 1);
}

TEST(marks_name_what_they_are_about)
{
	struct timed_process process = timed_process_new(0, 100);
	const struct timeline_mark *marks;

	spool_builder_module(&process.builder, 0x1000, 0x2000, 0, "/lib/old.so");
	spool_builder_module(&process.builder, 0x1000, 0x2000, 0, "/lib/new.so");
	spool_builder_mark(&process.builder, NULL, SPOOL_MARK_LOAD, 104 * TIMED_S, 0x1000);
	spool_builder_mark(&process.builder, NULL, SPOOL_MARK_UNLOAD, 103 * TIMED_S, 0x1000);
	spool_builder_mark(&process.builder, NULL, SPOOL_MARK_FORK, 105 * TIMED_S, 77);
	spool_builder_mark(&process.builder, &process.thread, SPOOL_MARK_SLOWER, 102 * TIMED_S,
			   1 | 500 << 4);
	timeline = timed_process_read(NULL, &process, 1);
	marks = timeline->marks;
	assert_int_equal(timeline->mark_count, 4);
	assert_int_equal(marks[0].time_ns, 2 * TIMED_S);
	assert_int_equal(marks[0].track, 0);
	assert_string_equal(timed_process_text(marks[0].text), "counter1");
	assert_string_equal(timed_process_text(marks[1].text), "/lib/old.so");
	assert_string_equal(timed_process_text(marks[2].text), "/lib/new.so");
	assert_int_equal(marks[3].text, 0);
	assert_int_equal(marks[3].value, 77);
	assert_int_equal(marks[3].track, TIMELINE_NONE);
}

TEST(a_spool_without_a_timeline_makes_it_partial)
{
	struct timed_process processes[] = { timed_process_new(0, 100), timed_process_new(1, 101) };

	timed_process_take(&processes[1], 102 * TIMED_S, 0, 1);
	spool_builder_header(&processes[0].builder)->timeline_bytes = 0;
	timeline = timed_process_read(NULL, processes, 2);
	assert_true(timeline->partial);
	assert_int_equal(timeline->sample_count, 1);
}

TEST(what_is_thinned_or_dropped_is_counted)
{
	struct timed_process process = timed_process_new(0, 100);

	process.thread.slot->count[SPOOL_COUNT_LOG_THINNED] = 5;
	process.thread.slot->count[SPOOL_COUNT_LOG_DROPPED] = 3;
	spool_builder_header(&process.builder)->count[SPOOL_COUNT_LOG_DROPPED] = 1;
	timeline = timed_process_read(NULL, &process, 1);
	assert_int_equal(timeline->thinned, 5);
	assert_int_equal(timeline->dropped, 4);
}

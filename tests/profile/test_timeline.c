/* The timeline has all samples, labels, traces and marks of all spools on one axis, in the order of
 * time, and its samples are at the nodes of the merged trees, whose weights are their sums. */
#include "runtime/profile/analysis/selection.h"
#include "runtime/profile/time/timeline.h"
#include "runtime/profile/tree/call_tree.h"
#include "tests/support/timed_process.h"
#include "tests/support/unit.h"

static const struct timeline *timeline;

TEST(a_profile_has_a_timeline_only_on_request)
{
	struct timed_process process = timed_process_new(0, 100);

	assert_null(timed_process_read(&(struct profile_options){ 0 }, &process, 1));
}

TEST(samples_are_in_the_order_of_time)
{
	struct timed_process process = timed_process_new(0, 100);

	timed_process_take(&process, 103 * TIMED_S, 1, 3);
	timed_process_take(&process, 101 * TIMED_S, 0, 1);
	timed_process_take(&process, 102 * TIMED_S, 0, 2);
	timed_process_take(&process, 104 * TIMED_S, 1, 4);
	timeline = timed_process_read(NULL, &process, 1);
	assert_int_equal(timeline->sample_count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(timeline->samples[i].time_ns, (i + 1) * TIMED_S);
		assert_int_equal(timeline->samples[i].events, i + 1);
		assert_string_equal(timed_process_name(timeline->samples[i].node),
				    i < 2 ? "program.work_[p]" : "program.idle_[p]");
	}
	assert_int_equal(timeline->zero_realtime_ns, TIMED_REALTIME);
	assert_int_equal(timeline->end_ns, 10 * TIMED_S);
	assert_false(timeline->partial);
	timed_process_check_sums();
}

TEST(the_counters_of_a_group_stay_together)
{
	struct timed_process process = timed_process_new(0, 100);
	struct spool_builder_sample member = { .counter = 1, .member = true };

	member.node = process.node[0];
	for (uint64_t i = 0; i < 500; i++) {
		member.time_ns = 109 * TIMED_S - i / 3; /* three at a time, the latest first */
		member.events = i;
		timed_process_take(&process, member.time_ns, 0, i);
		spool_builder_take(&process.builder, &process.thread, &member);
	}
	timeline = timed_process_read(NULL, &process, 1);
	assert_int_equal(timeline->sample_count, 1000);
	for (size_t i = 0; i < 1000; i += 2) {
		assert_int_equal(timeline->samples[i].counter, 0);
		assert_int_equal(timeline->samples[i + 1].counter, 1);
		assert_int_equal(timeline->samples[i].events, timeline->samples[i + 1].events);
		assert_true(!i || timeline->samples[i].time_ns >= timeline->samples[i - 1].time_ns);
	}
	timed_process_check_sums();
}

/* The second began 2 s before the first, in the same boot; its clock was set by 5 s in between. */
TEST(processes_of_one_boot_share_its_clock)
{
	struct timed_process processes[] = { timed_process_new(0, 100), timed_process_new(3, 98) };

	timed_process_take(&processes[0], 101 * TIMED_S, 0, 2);
	timed_process_take(&processes[1], 100 * TIMED_S, 0, 1);
	timeline = timed_process_read(NULL, processes, 2);
	assert_int_equal(timeline->process_count, 2);
	assert_int_equal(timeline->processes[0].start_ns, 2 * TIMED_S);
	assert_int_equal(timeline->processes[0].end_ns, 12 * TIMED_S);
	assert_int_equal(timeline->processes[1].start_ns, 0);
	assert_int_equal(timeline->samples[0].time_ns, 2 * TIMED_S);
	assert_int_equal(timeline->samples[0].events, 1);
	assert_int_equal(timeline->samples[1].time_ns, 3 * TIMED_S);
	assert_int_equal(timeline->zero_realtime_ns, TIMED_REALTIME - 2 * TIMED_S);
	assert_int_equal(timeline->end_ns, 12 * TIMED_S);
	timed_process_check_sums();
}

TEST(processes_of_other_hosts_are_placed_by_their_wall_clocks)
{
	struct timed_process processes[] = { timed_process_new(0, 100), timed_process_new(1, 5000),
					     timed_process_new(2, 7) };

	strcpy(spool_builder_header(&processes[1].builder)->host, "there");
	for (size_t i = 0; i < 3; i++)
		timed_process_take(&processes[i],
				   spool_builder_header(&processes[i].builder)->start_ns, 0, i);
	timeline = timed_process_read(NULL, processes, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(timeline->samples[i].time_ns, i * TIMED_S);
		assert_int_equal(timeline->samples[i].events, i);
		assert_int_equal(timeline->tracks[timeline->samples[i].track].process, i);
	}
}

TEST(an_image_after_exec_is_a_process_of_its_own)
{
	struct timed_process processes[] = { timed_process_new(2, 102), timed_process_new(0, 100),
					     timed_process_new(1, 101) };

	spool_builder_header(&processes[2].builder)->start_ticks++; /* its pid was used again */
	timeline = timed_process_read(NULL, processes, 3);
	assert_false(timeline->processes[1].exec);
	assert_false(timeline->processes[2].exec);
	processes[0] = timed_process_new(1, 101);
	processes[1] = timed_process_new(0, 100);
	timeline = timed_process_read(NULL, processes, 2);
	assert_true(timeline->processes[0].exec);
	assert_false(timeline->processes[1].exec);
}

TEST(each_thread_has_a_track)
{
	struct timed_process process = timed_process_new(0, 100);
	struct spool_builder_thread sum = timed_process_thread(&process, 0, "worker");
	struct spool_builder_thread idle = timed_process_thread(&process, 9, "idle");
	uint32_t node = spool_builder_node(&process.builder, &sum, SPOOL_PC_FAILED, 0);
	const struct timeline_track *tracks;

	(void)idle;
	sum.slot->state = SPOOL_THREAD_ENDED;
	for (uint64_t i = 0; i < 2; i++) {
		const struct spool_builder_sample sample = {
			.time_ns = (102 + i) * TIMED_S, .node = node, .samples = 1, .events = 5
		};

		spool_builder_entry(&process.builder, &sum, (50 + i) << 32 | SPOOL_LOG_THREAD,
				    (101 + i) * TIMED_S, 0);
		spool_builder_take(&process.builder, &sum, &sample);
		spool_builder_entry(&process.builder, &sum,
				    spool_log_head(SPOOL_LOG_END, 0, 0,
						   spool_builder_time(&process.builder, &sum,
								      sample.time_ns + 7, 1)),
				    0, 0);
	}
	timeline = timed_process_read(NULL, &process, 1);
	tracks = timeline->tracks;
	assert_int_equal(timeline->track_count, 4 + 1); /* the builder names the sum itself too */
	assert_int_equal(tracks[0].tid, 4242);
	assert_int_equal(tracks[0].end_ns, 10 * TIMED_S);
	assert_int_equal(tracks[2].tid, 50);
	assert_int_equal(tracks[2].start_ns, TIMED_S);
	assert_int_equal(tracks[2].end_ns, 2 * TIMED_S + 7);
	assert_int_equal(tracks[3].tid, 51);
	assert_int_equal(tracks[4].tid, 9);
	assert_string_equal(timed_process_text(tracks[3].name), "worker");
	assert_int_equal(timeline->samples[0].track, 2);
	assert_int_equal(timeline->samples[1].track, 3);
	timed_process_check_sums();
}

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

TEST(a_stack_that_is_not_selected_is_at_the_root)
{
	struct profile_options options = { .timeline = true, .locations = true };
	struct timed_process process = timed_process_new(0, 100);

	char line[512];

	assert_int_equal(selection_add(&options.selection, SELECTION_IGNORE, "idle", line,
				       sizeof(line)),
			 0);
	timed_process_take(&process, 101 * TIMED_S, 0, 1);
	timed_process_take(&process, 102 * TIMED_S, 1, 2);
	timeline = timed_process_read(&options, &process, 1);
	assert_string_equal(timed_process_name(timeline->samples[0].node), "program.work_[p]");
	assert_int_not_equal(timeline->samples[0].location, 0);
	assert_int_equal(timeline->samples[1].node, CALL_TREE_ROOT);
	assert_int_equal(timeline->samples[1].location, 0);
	timed_process_check_sums();
	selection_free(options.selection);
}

/* Native frames around a function are shown or not; its samples stay its own. */
TEST(samples_are_at_the_nodes_that_are_shown)
{
	for (unsigned interp = 0; interp < 4; interp++) {
		const struct profile_options options = { .timeline = true,
							 .locations = true,
							 .interp = interp };
		struct timed_process process = timed_process_new(0, 100);
		uint32_t native = spool_builder_node(&process.builder, &process.thread,
						     SPOOL_PC_PREEMPTED, process.node[0]);
		uint32_t alone =
			spool_builder_node(&process.builder, &process.thread, SPOOL_PC_NO_USER, 0);
		const struct spool_builder_sample samples[] = {
			{ .time_ns = 101 * TIMED_S, .node = native, .samples = 1, .events = 7 },
			{ .time_ns = 102 * TIMED_S, .node = alone, .samples = 1, .events = 9 },
		};

		timed_process_take(&process, 100 * TIMED_S, 1, 3);
		/* the log of a live process may be ahead of its tree */
		spool_builder_take(&process.builder, &process.thread, &samples[0]);
		spool_builder_take(&process.builder, &process.thread, &samples[1]);
		timeline = timed_process_read(&options, &process, 1);
		assert_int_equal(timeline->sample_count, 3);
		for (size_t i = 0; i < 3; i++)
			assert_int_not_equal(timeline->samples[i].location, 0);
		timed_process_check_sums();
	}
}

/* A live process may count a sample in its log before its tree. */
TEST(samples_may_be_ahead_of_the_tree)
{
	struct timed_process process = timed_process_new(0, 100);

	for (unsigned node = 0; node < 2; node++)
		spool_builder_log(&process.builder, &process.thread,
				  &(struct spool_builder_sample){ .time_ns = 101 * TIMED_S,
								  .node = process.node[node],
								  .samples = 1,
								  .events = 5 });
	timeline = timed_process_read(NULL, &process, 1);
	assert_int_equal(timeline->sample_count, 2);
	assert_string_equal(timed_process_name(timeline->samples[0].node), "program.work_[p]");
	assert_string_equal(timed_process_name(timeline->samples[1].node), "program.idle_[p]");
}

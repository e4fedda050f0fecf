/* The timeline has all samples of all spools on one axis, in the order of time. */
#include "runtime/profile/time/timeline.h"
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

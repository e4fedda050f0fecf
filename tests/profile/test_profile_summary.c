/* A summary adds spools up: each process counts once, and times run from the first start to the
 * last end. */
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/spool/spool_read.h"
#include "tests/support/unit.h"

#define SECOND_NS UINT64_C(1000000000)

static struct spool_read spool;
static struct profile_processes processes;
static struct profile_summary summary;

UNIT(teardown)
{
	profile_processes_free(&processes);
	processes = (struct profile_processes){ 0 };
	summary = (struct profile_summary){ 0 };
	return 0;
}

static void add(void)
{
	assert_int_equal(profile_summary_add(&summary, &processes, &spool), 0);
}

/* A spool of a process that ran from one second since 1970 to another. */
static void fill(uint64_t from, uint64_t to)
{
	spool = (struct spool_read){ .header = { .start_realtime_ns = from * SECOND_NS,
						 .start_ns = 5 * SECOND_NS,
						 .end_ns = (5 + to - from) * SECOND_NS,
						 .cpu_ns = SECOND_NS / 2,
						 .engine = SPOOL_ENGINE_TIMER,
						 .start_ticks = from } };
}

TEST(times_reach_from_the_first_start_to_the_last_end)
{
	fill(100, 103);
	add();
	assert_int_equal(summary.wall_ns, 3 * SECOND_NS);
	fill(98, 99);
	add();
	assert_int_equal(summary.start_realtime_ns, 98 * SECOND_NS);
	assert_int_equal(summary.wall_ns, 5 * SECOND_NS);
	fill(101, 110);
	add();
	assert_int_equal(summary.start_realtime_ns, 98 * SECOND_NS);
	assert_int_equal(summary.wall_ns, 12 * SECOND_NS);
	assert_int_equal(summary.cpu_ns, 3 * SECOND_NS / 2);
	assert_int_equal(summary.engines, 1u << SPOOL_ENGINE_TIMER);
}

TEST(a_process_with_several_spools_counts_once)
{
	fill(100, 103);
	add();
	spool.damaged = true;
	add();
	assert_int_equal(summary.spools, 2);
	assert_int_equal(summary.processes, 1);
	assert_int_equal(summary.damaged, 1);
}

/* One image after the other, as exec replaces them; the last has no end yet. */
static void fill_image(uint64_t before, uint64_t used)
{
	fill(100, 103);
	spool.header.before_ns = before * SECOND_NS;
	spool.header.cpu_ns = used * SECOND_NS;
}

TEST(time_before_sampling_is_that_which_no_image_has)
{
	static const struct {
		unsigned before, used;
	} images[] = { { 1, 5 }, { 8, 10 }, { 21, 0 } }; /* 1, 2 and 3 seconds between them */

	for (unsigned first = 0; first < 3; first++) {
		unit_teardown(NULL);
		for (unsigned i = 0; i < 3; i++) {
			unsigned at = (first + i) % 3;

			fill_image(images[at].before, images[at].used);
			add();
		}
		assert_int_equal(summary.before_ns, 6 * SECOND_NS);
		assert_int_equal(summary.cpu_ns, 15 * SECOND_NS);
		spool.header.start_ticks++;
		spool.header.before_ns = 4 * SECOND_NS;
		add();
		assert_int_equal(summary.before_ns, 10 * SECOND_NS);
	}
}

TEST(what_an_image_without_a_spool_used_is_before_sampling)
{
	fill_image(21, 4);
	add();
	assert_int_equal(summary.before_ns, 21 * SECOND_NS);
}

TEST(a_spool_of_an_older_version_says_nothing_of_the_time_before)
{
	fill_image(0, 4);
	add();
	fill_image(0, 5);
	add();
	assert_int_equal(summary.before_ns, 0);
}

TEST(all_that_was_lost_is_one_sum)
{
	struct spool_read_thread threads[2] = { 0 };

	fill(100, 103);
	spool.header.count[SPOOL_COUNT_LOST_RING] = 5;
	spool.threads = threads;
	spool.thread_count = 2;
	threads[0].slot.state = SPOOL_THREAD_LIVE;
	threads[0].slot.count[SPOOL_COUNT_SAMPLES] = 7;
	threads[0].slot.count[SPOOL_COUNT_LOST_RING] = 2;
	threads[1].slot.state = SPOOL_THREAD_ENDED;
	threads[1].slot.count[SPOOL_COUNT_THREADS_ENDED] = 3;
	threads[1].slot.count[SPOOL_COUNT_LOST_FULL] = 4;
	add();
	assert_int_equal(summary.count[SPOOL_COUNT_SAMPLES], 7);
	assert_int_equal(summary.lost, 5 + 6);
	assert_int_equal(summary.threads, 4);
}

TEST(a_process_that_ended_neither_runs_nor_was_killed)
{
	fill(100, 103);
	spool.header.state = SPOOL_FINISHED;
	profile_summary_add_state(&summary, "flametrap.1.2.3.spool", &spool.header);
	spool.header.state = SPOOL_EXECED;
	profile_summary_add_state(&summary, "flametrap.1.2.3.spool", &spool.header);
	assert_int_equal(summary.running + summary.killed, 0);
}

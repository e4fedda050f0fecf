/* A window has the samples in it and the part in it of each wait.  Adjacent windows add up to the
 * whole, exactly. */
#include "runtime/profile/time/window.h"
#include "runtime/profile/spool/spool_read.h"
#include "tests/support/timed_process.h"
#include "tests/support/unit.h"

#define NODES	 2
#define COUNTERS 2

/* The first counter counts samples, the second time off the processor. */
struct sums {
	uint64_t samples[NODES][COUNTERS];
	uint64_t events[NODES][COUNTERS];
	uint64_t counted;
};

static struct timed_process process;
static struct spool_read spool;
static struct window_cut_loss loss;

UNIT(setup)
{
	process = timed_process_new(0, 100);
	spool_builder_header(&process.builder)->counter[1].flags |= SPOOL_COUNTER_OFF_CPU;
	loss = (struct window_cut_loss){ 0 };
	return 0;
}

UNIT(teardown)
{
	spool_read_free(&spool);
	spool_builder_free(&process.builder);
	return 0;
}

static void read_process(void)
{
	int fd = spool_builder_fd(&process.builder);
	char line[512];

	spool_read_free(&spool);
	if (spool_read_timed_fd(fd, "the.spool", &spool, line, sizeof(line)))
		fail_msg("%s", line);
	close(fd);
}

static void add(struct sums *sums)
{
	const struct spool_read_thread *thread = &spool.threads[0];

	for (size_t node = 0; node < NODES; node++)
		for (size_t counter = 0; counter < COUNTERS; counter++) {
			const struct spool_read_weight *weight =
				&thread->weights[node * COUNTERS + counter];

			sums->samples[node][counter] += weight->samples;
			sums->events[node][counter] += weight->events;
		}
	sums->counted += thread->slot.count[SPOOL_COUNT_SAMPLES];
}

/* Adds the weights of one window. */
static void add_window(struct sums *sums, uint64_t from_ns, uint64_t to_ns)
{
	read_process();
	window_cut(&spool, from_ns, to_ns, &loss);
	add(sums);
}

static void take(uint64_t time_ns, unsigned node, unsigned counter, uint64_t samples,
		 uint64_t events)
{
	spool_builder_take(&process.builder, &process.thread,
			   &(struct spool_builder_sample){ .time_ns = time_ns,
							   .node = process.node[node],
							   .counter = counter,
							   .samples = samples,
							   .events = events });
}

TEST(a_sample_is_in_the_window_that_holds_its_time)
{
	struct sums before = { 0 }, inside = { 0 }, after = { 0 };

	take(101, 0, 0, 1, 10);
	take(200, 0, 0, 1, 20);
	take(299, 1, 0, 1, 30);
	take(300, 1, 0, 1, 40);
	add_window(&before, 0, 200);
	add_window(&inside, 200, 300);
	add_window(&after, 300, UINT64_MAX);
	assert_int_equal(before.events[0][0], 10);
	assert_int_equal(inside.samples[0][0], 1);
	assert_int_equal(inside.events[0][0], 20);
	assert_int_equal(inside.events[1][0], 30);
	assert_int_equal(inside.counted, 2);
	assert_int_equal(after.events[1][0], 40);
	assert_int_equal(loss.joined + loss.dropped, 0);
}

/* It lasts from 100 to 400; the switch that began it is a point at 100. */
TEST(a_wait_counts_by_the_part_in_the_window)
{
	static const struct {
		uint64_t from, to, samples, events;
	} windows[] = {
		{ 0, 100, 0, 0 },
		{ 0, 101, 1, 1 },
		{ 100, 200, 1, 100 },
		{ 200, 300, 0, 100 },
		{ 399, 400, 0, 1 },
		{ 400, 500, 0, 0 },
		{ 300, UINT64_MAX, 0, 100 },
		{ 0, UINT64_MAX, 1, 300 },
		{ 50, 450, 1, 300 },
		{ 150, 350, 0, 200 },
	};

	take(100, 0, 1, 1, 0);
	take(400, 0, 1, 0, 300);
	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
		struct sums sums = { 0 };

		add_window(&sums, windows[i].from, windows[i].to);
		assert_int_equal(sums.samples[0][1], windows[i].samples);
		assert_int_equal(sums.events[0][1], windows[i].events);
	}
}

TEST(the_part_of_a_wait_has_its_own_time_in_the_log)
{
	take(400, 0, 1, 0, 300);
	read_process();
	window_cut(&spool, 150, 350, &loss);
	assert_int_equal(spool.threads[0].log.sample_count, 1);
	assert_int_equal(spool.threads[0].log.samples[0].time_ns, 350);
	assert_int_equal(spool.threads[0].log.samples[0].events, 200);
}

/* Waits overlap each other and the windows' ends, and some began before the process did. */
TEST(adjacent_windows_add_up_to_the_whole)
{
	struct sums whole = { 0 };
	unsigned long seed = 1;

	for (unsigned i = 0; i < 3000; i++) {
		uint64_t time_ns;

		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		time_ns = 1000 + (seed >> 33) % 100000;
		take(time_ns, i % 2, 0, 1 + i % 3, (seed >> 20) % 5000);
		take(time_ns, (i + 1) % 2, 1, 0, (seed >> 40) % 9000);
	}
	read_process();
	add(&whole);
	for (uint64_t step = 1000; step < 200000; step = step * 3 + 7) {
		struct sums sums = { 0 };
		uint64_t from = 0;

		for (uint64_t to = step; to < 110000; from = to, to += step)
			add_window(&sums, from, to);
		add_window(&sums, from, UINT64_MAX);
		assert_memory_equal(&sums, &whole, sizeof(sums));
	}
}

TEST(totals_of_the_whole_run_are_not_those_of_a_window)
{
	struct spool_thread *slot = process.thread.slot;

	slot->total[0].value = 99;
	slot->count[SPOOL_COUNT_SIGNALS] = 99;
	slot->count[SPOOL_COUNT_THREADS_ENDED] = 5;
	slot->count[SPOOL_COUNT_LOG_DROPPED] = 7;
	slot->count[SPOOL_COUNT_LOG_THINNED] = 9;
	spool_builder_header(&process.builder)->count[SPOOL_COUNT_LOST_RING] = 3;
	spool_builder_mark(&process.builder, NULL, SPOOL_MARK_FORK, 100, 1);
	spool_builder_mark(&process.builder, NULL, SPOOL_MARK_FORK, 300, 2);
	read_process();
	window_cut(&spool, 200, 400, &loss);
	slot = &spool.threads[0].slot;
	assert_int_equal(slot->total[0].value, 0);
	assert_int_equal(slot->count[SPOOL_COUNT_SIGNALS], 0);
	assert_int_equal(slot->count[SPOOL_COUNT_THREADS_ENDED], 5);
	assert_int_equal(slot->count[SPOOL_COUNT_LOG_THINNED], 0);
	assert_int_equal(spool.header.count[SPOOL_COUNT_LOST_RING], 0);
	assert_int_equal(spool.marks.mark_count, 1);
	assert_int_equal(spool.marks.marks[0].value, 2);
	assert_int_equal(loss.dropped, 7);
}

/* A hundred entries of four samples each: the deviation is 4 / 2 * sqrt(100). */
TEST(joined_samples_make_a_window_an_estimate)
{
	struct sums sums = { 0 };

	for (unsigned i = 0; i < 200; i++)
		take(1000 + i, 0, 0, i % 2 ? 4 : 1, 5);
	add_window(&sums, 1000, 2000);
	assert_int_equal(loss.joined, 300);
	assert_true(window_cut_deviation(&loss) > 19.9 && window_cut_deviation(&loss) < 20.1);
}

/* The stacks of n of s joined samples: what a reader finds deviates by no more than is said. */
TEST(the_deviation_is_that_of_joined_samples)
{
	const unsigned groups = 500, joined = 4, tries = 400;
	unsigned long seed = 7;

	for (unsigned inside = 0; inside <= joined; inside++) {
		double squares = 0;

		loss = (struct window_cut_loss){ .squares = groups * joined * joined };
		for (unsigned try = 0; try < tries; try++) {
			double error = -(double)groups * inside;

			for (unsigned group = 0; group < groups; group++) {
				seed = seed * 6364136223846793005ul + 1442695040888963407ul;
				error += (seed >> 33) % joined < inside ? joined : 0;
			}
			squares += error * error;
		}
		assert_true(squares / tries <
			    1.3 * window_cut_deviation(&loss) * window_cut_deviation(&loss));
	}
}

TEST(the_last_moment_of_a_process_that_did_not_end_is_in_its_log)
{
	take(400, 0, 0, 1, 5);
	spool_builder_header(&process.builder)->end_ns = 0;
	spool_builder_header(&process.builder)->start_ns = 90;
	spool_builder_mark(&process.builder, NULL, SPOOL_MARK_FORK, 450, 1);
	read_process();
	assert_int_equal(window_cut_last(&spool), 450);
	spool.header.end_ns = 420;
	assert_int_equal(window_cut_last(&spool), 420);
}

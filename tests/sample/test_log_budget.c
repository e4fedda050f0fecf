/* A log that is full is thinned: sums stay, the newest part stays exact, stacks are not biased. The
 * logs of many threads share one limit. */

#include <stdlib.h>
#include <string.h>

#include "runtime/sample/log/log_budget.h"
#include "runtime/sample/log/log.h"
#include "tests/support/log_made_up.h"
#include "tests/support/unit.h"

#define START_NS  5000000000ULL
#define PERIOD_NS 1000000ULL
#define PER_CHUNK 480 /* samples of one counter at least */

static struct log *const first = &log_of[0];

UNIT(setup)
{
	if (log_made_up(256, 16))
		return -1;
	log_made_up_thread(0);
	return 0;
}

static void look(unsigned which)
{
	log_made_up_walk(&log_slots[which]);
}

static uint64_t thinned(unsigned which)
{
	return log_slots[which].count[SPOOL_COUNT_LOG_THINNED];
}

static void assert_in_order(void)
{
	for (size_t i = 1; i < log_walked.count; i++)
		assert_true(log_walked.found[i - 1].time_ns <= log_walked.found[i].time_ns);
}

TEST(the_sums_of_each_counter_stay_exact_at_any_length)
{
	uint64_t sums[4] = { 0 };

	srand(1);
	for (unsigned i = 0; i < 100000; i++) {
		uint64_t time_ns = START_NS + i * PERIOD_NS, weight = (unsigned)rand();

		log_made_up_group(first, time_ns, (uint32_t)(1 + weight % 50), weight, weight % 7);
		sums[0] += weight;
		sums[1] += weight % 7;
		if (i % 10 == 0) {
			log_made_up_add(first, time_ns, 9, 2, 0, weight << 20);
			sums[2] += weight << 20;
		}
		if (i % 9973)
			continue;
		look(0);
		assert_int_equal(log_walk_samples(&log_walked, 0, 0), i + 1);
		for (unsigned counter = 0; counter < 3; counter++)
			assert_int_equal(log_walk_events(&log_walked, counter, 0), sums[counter]);
		assert_in_order();
	}
	assert_int_equal(log_slots[0].count[SPOOL_COUNT_LOG_DROPPED], 0);
	assert_true(log_walked.chunks <= 16);
}

TEST(samples_that_were_joined_are_counted)
{
	for (unsigned i = 0; i < 50000; i++)
		log_made_up_add(first, START_NS + i, 7, 0, 1, 1);
	look(0);
	assert_int_equal(log_walked.count + thinned(0), 50000);
}

TEST(the_newest_half_is_exact_and_the_rest_covers_the_whole_run)
{
	const uint64_t samples = 200000;
	uint64_t exact = 0, gap_ns = 0;
	log_made_up_again(256, 64);
	log_made_up_thread(0);
	for (unsigned i = 0; i < samples; i++)
		log_made_up_add(first, START_NS + i * PERIOD_NS, 7, 0, 1, PERIOD_NS);
	look(0);
	for (size_t i = log_walked.count; i-- && log_walked.found[i].samples == 1;)
		exact++;
	assert_true(exact >= 28ULL * PER_CHUNK);
	for (size_t i = 1; i < log_walked.count; i++)
		if (log_walked.found[i].time_ns - log_walked.found[i - 1].time_ns > gap_ns)
			gap_ns = log_walked.found[i].time_ns - log_walked.found[i - 1].time_ns;
	/* some 28 chunks for all but the newest samples: on the average every 14th remains */
	assert_true(gap_ns < 70 * PERIOD_NS);
	assert_true(log_walked.found[0].time_ns < START_NS + 35 * PERIOD_NS);
}

/* A node's expected weight is what it was. */
TEST(what_remains_is_chosen_without_bias)
{
	const unsigned runs = 400, samples = 12000;
	uint64_t events[5] = { 0 }, expected[5] = { 0 };

	for (unsigned run = 0; run < runs; run++) {
		log_made_up_again(64, 4);
		log_made_up_thread(run % 200);
		srand(run);
		for (unsigned i = 0; i < samples; i++) {
			uint32_t node = 1 + (unsigned)rand() % 4;
			uint64_t weight = node == 4 ? 1000 : 10 * node;

			log_made_up_add(&log_of[run % 200], START_NS + i, node, 0, 1, weight);
			expected[node] += weight;
		}
		look(run % 200);
		for (uint32_t node = 1; node < 5; node++)
			events[node] += log_walk_events(&log_walked, 0, node);
	}
	for (uint32_t node = 1; node < 5; node++) {
		double ratio = (double)events[node] / (double)expected[node];

		assert_true(ratio > 0.9 && ratio < 1.1);
	}
}

TEST(samples_without_events_are_chosen_by_their_number)
{
	uint64_t samples[3] = { 0 };

	for (unsigned run = 0; run < 200; run++) {
		log_made_up_again(64, 4);
		log_made_up_thread(run % 200);
		for (unsigned i = 0; i < 8000; i++)
			log_made_up_add(&log_of[run % 200], START_NS + i, 1 + i % 2, 2,
					i % 2 ? 3 : 1, 0);
		look(run % 200);
		for (uint32_t node = 1; node < 3; node++)
			samples[node] += log_walk_samples(&log_walked, 2, node);
	}
	assert_int_equal(samples[1] + samples[2], 200 * 16000);
	assert_true(samples[1] > 200 * 3600 && samples[1] < 200 * 4400);
}

TEST(members_stay_with_their_sample)
{
	for (unsigned i = 0; i < 60000; i++) {
		log_made_up_group(first, START_NS + i, 1 + i % 3, 100, i % 5 ? 1ULL << 33 : 0);
		log_made_up_add(first, START_NS + i, 1, 2, 1, 1);
	}
	look(0);
	for (size_t i = 0; i < log_walked.count; i++) {
		const struct log_found *found = &log_walked.found[i];

		if (found->kind != SPOOL_LOG_MEMBER)
			continue;
		assert_true(i > 0);
		assert_int_equal(found[-1].counter, 0);
		assert_int_equal(found[-1].node, found->node);
		assert_int_equal(found[-1].time_ns, found->time_ns);
		assert_int_equal(found[-1].chunk, found->chunk);
	}
	assert_true(log_walk_events(&log_walked, 1, 0) == 48000 * (1ULL << 33));
}

TEST(what_remains_carries_its_own_labels)
{
	struct labels *labels = &log_labels[0];

	for (unsigned i = 0; i < 50000; i++) {
		atomic_store(&labels->set, i % 3);
		labels->trace.trace[0] = i / 7 % 2;
		labels->trace.span = i / 7 % 2;
		log_made_up_add(first, START_NS + i, 1 + i, 0, 1, 1);
	}
	look(0);
	for (size_t i = 0; i < log_walked.count; i++) {
		uint64_t number = log_walked.found[i].time_ns - START_NS;

		assert_int_equal(log_walked.found[i].node, 1 + number);
		assert_int_equal(log_walked.found[i].labels, number % 3);
		assert_int_equal(log_walked.found[i].trace[0], number / 7 % 2);
		assert_int_equal(log_walked.found[i].span, number / 7 % 2);
		assert_int_equal(log_walked.found[i].tid, 1);
	}
	assert_int_equal(log_walk_samples(&log_walked, 0, 0), 50000);
}

TEST(long_values_grow_longer)
{
	for (unsigned i = 0; i < 30000; i++)
		log_made_up_group(first, START_NS + i, 7, UINT32_MAX, 1ULL << 40);
	look(0);
	assert_int_equal(log_walk_events(&log_walked, 0, 0), 30000ULL * UINT32_MAX);
	assert_int_equal(log_walk_events(&log_walked, 1, 0), 30000ULL << 40);
	assert_int_equal(log_walk_samples(&log_walked, 0, 0), 30000);
}

TEST(one_chunk_is_enough_for_any_number_of_samples)
{
	for (unsigned timeline = 1; timeline < 6; timeline++) {
		log_made_up_again(64, timeline);
		log_made_up_thread(0);
		for (unsigned i = 0; i < 100000; i++)
			log_made_up_group(first, START_NS + i, 7, 5, 6);
		look(0);
		assert_int_equal(log_walk_samples(&log_walked, 0, 0), 100000);
		assert_int_equal(log_walk_events(&log_walked, 1, 0), 600000);
		assert_true(log_walked.chunks <= (timeline > 1 ? timeline : 1));
		assert_int_equal(log_slots[0].count[SPOOL_COUNT_LOG_DROPPED], 0);
	}
}

TEST(times_too_far_apart_for_one_chunk_are_moved_and_their_weights_stay)
{
	for (unsigned i = 0; i < 400; i++)
		log_made_up_add(first, START_NS + ((uint64_t)i << 46), 7, 0, 1, 3);
	look(0);
	assert_int_equal(log_walk_samples(&log_walked, 0, 0), 400);
	assert_int_equal(log_walk_events(&log_walked, 0, 0), 1200);
	assert_in_order();
	assert_int_equal(log_walked.found[log_walked.count - 1].time_ns, START_NS + (399ULL << 46));
}

TEST(marks_do_not_fill_a_log)
{
	for (unsigned i = 0; i < 100000; i++) {
		log_mark(first, SPOOL_MARK_THROTTLED, START_NS + i, 0);
		if (i % 10 == 0)
			log_made_up_add(first, START_NS + i, 7, 0, 1, 3);
	}
	look(0);
	assert_int_equal(log_walk_samples(&log_walked, 0, 0), 10000);
	assert_true(log_walked.chunks <= 16);
}

/* Two chunks are joined where the spool has no other: the reserve is enough. */
TEST(a_spool_that_is_full_is_thinned_too)
{
	for (unsigned i = 0; i < 200000; i++) {
		if (i == 12 * PER_CHUNK)
			spool_own.size_bytes = spool_own.header->used_bytes;
		log_made_up_add(first, START_NS + i, 7, 0, 1, 3);
	}
	look(0);
	assert_int_equal(log_walk_samples(&log_walked, 0, 0), 200000);
	assert_int_equal(log_slots[0].count[SPOOL_COUNT_LOG_DROPPED], 0);
	spool_own.size_bytes = 256UL * SPOOL_CHUNK_BYTES;
}

#define LIMIT 64
#define FILL  (LIMIT * 600)

/* Threads begin logs that share the limit. */
static void share(unsigned chunks, unsigned threads)
{
	log_made_up_again(chunks, LIMIT);
	for (unsigned i = 0; i < threads; i++)
		log_made_up_thread(i);
}

static uint64_t chunks_of_all(void)
{
	uint64_t chunks = 0;

	for (unsigned i = 0; i < LOG_MADE_UP_THREADS; i++)
		chunks += log_of[i].chunks;
	return chunks;
}

static uint64_t dropped(void)
{
	uint64_t samples = 0;

	for (unsigned i = 0; i < LOG_MADE_UP_THREADS; i++)
		samples += log_slots[i].count[SPOOL_COUNT_LOG_DROPPED];
	return samples;
}

static void run(unsigned which, unsigned from, unsigned samples)
{
	for (unsigned i = 0; i < samples; i++)
		log_made_up_add(&log_of[which], START_NS + from + i, 7, 0, 1, 1);
}

static void assert_samples(unsigned which, uint64_t samples)
{
	look(which);
	assert_int_equal(log_walk_samples(&log_walked, 0, 0), samples);
	assert_int_equal(log_walked.chunks, log_of[which].chunks);
}

TEST(one_thread_may_have_all)
{
	share(512, 1);
	run(0, 0, 10 * FILL);
	assert_true(log_of[0].chunks >= LIMIT - 2 && log_of[0].chunks <= LIMIT);
	assert_samples(0, 10 * FILL);
}

TEST(a_late_thread_gets_its_share)
{
	share(512, 1);
	run(0, 0, 10 * FILL);
	log_made_up_thread(1);
	for (unsigned i = 0; i < 400; i++) {
		run(0, 10 * FILL + 600 * i, 600);
		run(1, 10 * FILL + 600 * i, 600);
		assert_true(chunks_of_all() <= LIMIT / 4 * 5);
	}
	assert_true(chunks_of_all() <= LIMIT);
	assert_true(log_of[1].chunks >= LIMIT / 2 - 2);
	assert_samples(0, 10 * FILL + 240000);
	assert_samples(1, 240000);
	assert_int_equal(dropped(), 0);
}

TEST(threads_that_sleep_keep_what_they_have_and_others_get_on)
{
	share(512, 1);
	run(0, 0, 10 * FILL);
	for (unsigned i = 1; i < 4; i++) {
		log_made_up_thread(i);
		run(i, 10 * FILL, FILL);
		assert_samples(i, FILL);
	}
	assert_int_equal(dropped(), 0);
	assert_true(chunks_of_all() <= LIMIT / 4 * 5);
	assert_samples(0, 10 * FILL);
}

TEST(two_hundred_threads_stay_within_the_limit)
{
	uint64_t samples = 0;

	share(512, 200);
	for (unsigned round = 0; round < 20; round++)
		for (unsigned i = 0; i < 200; i++) {
			run(i, round * 500, 500);
			assert_true(chunks_of_all() <= LIMIT / 4 * 5 + 1);
		}
	for (unsigned i = 0; i < 200; i++) {
		look(i);
		samples += log_walk_samples(&log_walked, 0, 0);
	}
	/* there is a chunk for some 80 of them; what the others lost is counted */
	assert_int_equal(samples + dropped(), 200 * 10000);
	assert_true(samples >= 60 * 10000);
}

static unsigned chunks_for_stacks(void)
{
	unsigned chunks = 0;

	while (spool_alloc_take(&spool_own, SPOOL_CHUNK_NODES, false))
		chunks++;
	return chunks;
}

/* As mlockall(2) of a program makes it. */
TEST(a_spool_that_became_smaller_has_room_for_stacks)
{
	share(512, 1);
	run(0, 0, FILL / 8);
	spool_alloc_shrink(&spool_own, 16UL * SPOOL_CHUNK_BYTES);
	log_budget_shrink();
	run(0, FILL / 8, 10 * FILL);
	assert_samples(0, FILL / 8 + 10 * FILL);
	assert_true(chunks_for_stacks() >= 16);
}

TEST(a_log_keeps_what_it_has_when_the_spool_becomes_smaller)
{
	uint32_t before;

	share(512, 1);
	run(0, 0, 10 * FILL);
	before = log_of[0].chunks;
	spool_alloc_shrink(&spool_own, 16UL * SPOOL_CHUNK_BYTES);
	log_budget_shrink();
	run(0, 10 * FILL, 2 * FILL);
	assert_in_range(log_of[0].chunks, before - 1, before);
	assert_samples(0, 12 * FILL);
	assert_int_equal(dropped(), 0);
}

TEST(logs_go_on_where_stacks_take_the_room_before_them)
{
	share(128, 2);
	run(0, 0, 2000);
	run(1, 0, 2000);
	assert_true(chunks_for_stacks() > LIMIT);
	run(0, 2000, FILL);
	run(1, 2000, FILL);
	assert_int_equal(dropped(), 0);
	assert_samples(0, 2000 + FILL);
	assert_samples(1, 2000 + FILL);
}

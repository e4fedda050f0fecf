/* The logs of many threads share one limit. */

#include <string.h>

#include "runtime/sample/log/log_budget.h"
#include "tests/support/log_made_up.h"
#include "tests/support/unit.h"

#define START_NS 5000000000ULL
#define LIMIT	 64
#define FILL	 (LIMIT * 600)

UNIT(setup)
{
	return log_made_up(512, LIMIT);
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
	log_made_up_walk(&log_slots[which]);
	assert_int_equal(log_walk_samples(&log_walked, 0, 0), samples);
	assert_int_equal(log_walked.chunks, log_of[which].chunks);
}

TEST(one_thread_may_have_all)
{
	log_made_up_thread(0);
	run(0, 0, 10 * FILL);
	assert_true(log_of[0].chunks >= LIMIT - 2 && log_of[0].chunks <= LIMIT);
	assert_samples(0, 10 * FILL);
}

TEST(a_late_thread_gets_its_share)
{
	log_made_up_thread(0);
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
	log_made_up_thread(0);
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

	for (unsigned i = 0; i < 200; i++)
		log_made_up_thread(i);
	for (unsigned round = 0; round < 20; round++)
		for (unsigned i = 0; i < 200; i++) {
			run(i, round * 500, 500);
			assert_true(chunks_of_all() <= LIMIT / 4 * 5 + 1);
		}
	for (unsigned i = 0; i < 200; i++) {
		log_made_up_walk(&log_slots[i]);
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
	log_made_up_again(512, LIMIT);
	log_made_up_thread(0);
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

	log_made_up_again(512, LIMIT);
	log_made_up_thread(0);
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
	log_made_up_again(128, LIMIT);
	log_made_up_thread(0);
	log_made_up_thread(1);
	run(0, 0, 2000);
	run(1, 0, 2000);
	assert_true(chunks_for_stacks() > LIMIT);
	run(0, 2000, FILL);
	run(1, 2000, FILL);
	assert_int_equal(dropped(), 0);
	assert_samples(0, 2000 + FILL);
	assert_samples(1, 2000 + FILL);
}

/* First periods: from 1 to the period, none of them preferred, and none so short that overflows
 * would come too fast. */

#include "runtime/sample/perf/first_period.h"
#include "tests/support/unit.h"

#define DRAWS 4000
#define PARTS 8

TEST(a_period_of_one_stays_as_it_is)
{
	for (uint64_t random = 0; random < 100; random++)
		assert_int_equal(first_period_of(random, 1, 1), 1);
	assert_int_equal(first_period_of(7, 0, 1), 0);
}

TEST(each_place_of_a_period_is_drawn)
{
	for (uint64_t random = 1; random < 20; random++)
		assert_int_equal(first_period_of(random, 20, 1), random + 1);
}

TEST(a_first_period_is_not_too_short)
{
	assert_int_equal(first_period_of(0, 1000000, 1), 1000000 / FIRST_PERIOD_LEAST);
	assert_int_equal(first_period_of(999999, 1000000, 1), 1000000);
	assert_int_equal(first_period_of(0, 1000000, 300000), 300000);
	assert_int_equal(first_period_of(0, 1000, 300000), 1000);
	assert_int_equal(first_period_of(0, UINT64_MAX, 1), UINT64_MAX / FIRST_PERIOD_LEAST);
}

/* 500 are expected in each eighth, those of the first at its end; six deviations are 125. */
TEST(no_place_is_preferred)
{
	unsigned drawn[PARTS] = { 0 };

	for (unsigned i = 0; i < DRAWS; i++)
		drawn[(first_period_draw(1001001, 1, i) - 1) * PARTS / 1001001]++;
	for (unsigned i = 0; i < PARTS; i++)
		assert_in_range(drawn[i], DRAWS / PARTS - 125, DRAWS / PARTS + 125);
}

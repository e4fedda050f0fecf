/* Overlapping ranges become a table in which the highest rank has each address. */
#include "runtime/profile/base/ranges.h"
#include "tests/support/unit.h"

static struct ranges ranges;

UNIT(teardown)
{
	ranges_free(&ranges);
	ranges = (struct ranges){ 0 };
	return 0;
}

/* Value at an address, or -1. */
static int at(uint64_t address)
{
	const struct range *range = ranges_find(&ranges, address);

	return range ? (int)range->value : -1;
}

TEST(an_empty_table_has_nothing)
{
	assert_int_equal(ranges_build(&ranges), 0);
	assert_int_equal(at(0), -1);
	assert_null(ranges_after(&ranges, 0));
}

TEST(ends_are_not_inside)
{
	ranges_add(&ranges, 10, 20, 0, 1);
	ranges_add(&ranges, 30, 30, 0, 2);
	ranges_add(&ranges, 50, 40, 0, 3);
	ranges_add(&ranges, UINT64_MAX - 1, UINT64_MAX, 0, 4);
	assert_int_equal(ranges_build(&ranges), 0);
	assert_int_equal(at(9), -1);
	assert_int_equal(at(10), 1);
	assert_int_equal(at(19), 1);
	assert_int_equal(at(20), -1);
	assert_int_equal(at(30), -1);
	assert_int_equal(at(45), -1);
	assert_int_equal(at(UINT64_MAX - 1), 4);
	assert_int_equal(at(UINT64_MAX), -1);
	assert_int_equal(ranges_after(&ranges, 10)->value, 4);
}

TEST(the_inner_of_two_wins_and_the_outer_goes_on_behind_it)
{
	ranges_add(&ranges, 0, 100, 1, 1);
	ranges_add(&ranges, 40, 60, 2, 2);
	assert_int_equal(ranges_build(&ranges), 0);
	assert_int_equal(at(39), 1);
	assert_int_equal(at(40), 2);
	assert_int_equal(at(60), 1);
	assert_int_equal(at(99), 1);
}

/* Against the definition, for tables of every kind of overlap. */
TEST(every_address_has_the_range_of_highest_rank)
{
	srandom(1);
	for (unsigned round = 0; round < 300; round++) {
		uint64_t start[40], end[40];
		unsigned count = 1 + (unsigned)random() % 40;

		unit_teardown(NULL);
		for (unsigned i = 0; i < count; i++) {
			start[i] = (uint64_t)random() % 200;
			end[i] = start[i] + (uint64_t)random() % 60;
			ranges_add(&ranges, start[i], end[i], i, i);
		}
		assert_int_equal(ranges_build(&ranges), 0);
		for (uint64_t address = 0; address < 270; address++) {
			int expected = -1;

			for (unsigned i = 0; i < count; i++)
				if (start[i] <= address && address < end[i])
					expected = (int)i;
			assert_int_equal(at(address), expected);
		}
		assert_true(ranges.count <= 2 * count);
	}
}

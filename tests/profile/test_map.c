/* A map keeps the value of each key, however many there are; a list that grows keeps its elements,
 * also after it became shorter, and where memory is out; overlapping ranges become a table in which
 * the highest rank has each address. */
#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/ranges.h"
#include "tests/support/unit.h"

#define KEYS 10000

TEST(new_keys_have_the_value_zero)
{
	struct map map = { 0 };
	uint32_t *value;

	value = map_at(&map, 1, 2);
	assert_non_null(value);
	assert_int_equal(*value, 0);
	*value = 7;
	assert_int_equal(*map_at(&map, 2, 1), 0);
	assert_int_equal(*map_at(&map, 1, 2), 7);
	map_free(&map);
}

/* Both words tell keys apart, also where only the highest bits differ. */
TEST(values_stay_while_the_map_grows)
{
	struct map map = { 0 };

	for (uint32_t i = 0; i < KEYS; i++) {
		*map_at(&map, i, 0) = 3 * i + 1;
		*map_at(&map, 0, (uint64_t)(i + 1) << 48) = 3 * i + 2;
		*map_at(&map, (uintptr_t)&map + i, i) = 3 * i + 3;
	}
	for (uint32_t i = 0; i < KEYS; i++) {
		assert_int_equal(*map_at(&map, i, 0), 3 * i + 1);
		assert_int_equal(*map_at(&map, 0, (uint64_t)(i + 1) << 48), 3 * i + 2);
		assert_int_equal(*map_at(&map, (uintptr_t)&map + i, i), 3 * i + 3);
	}
	map_free(&map);
}

TEST(looking_up_adds_nothing)
{
	struct map map = { 0 };

	assert_int_equal(map_value(&map, 1, 2), 0);
	*map_at(&map, 1, 2) = 7;
	assert_int_equal(map_value(&map, 1, 2), 7);
	assert_int_equal(map_value(&map, 2, 1), 0);
	assert_int_equal(map.used, 1);
	map_free(&map);
}

TEST(an_empty_map_can_be_freed)
{
	map_free(&(struct map){ 0 });
}

#define ELEMENTS 1000

/* Here memory can be out. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void fill(uint32_t **list, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		assert_true(grow(list, i, sizeof(**list)));
		(*list)[i] = (uint32_t)i;
	}
	for (size_t i = 0; i < to; i++)
		assert_int_equal((*list)[i], i);
}

TEST(elements_stay_while_the_list_grows)
{
	uint32_t *list = NULL;

	fill(&list, 0, ELEMENTS);
	for (size_t left = 0; left < ELEMENTS; left += 31)
		fill(&list, left, ELEMENTS - left);
	free(list);
}

TEST(a_list_that_cannot_grow_is_unchanged)
{
	volatile size_t too_large = SIZE_MAX / 2;
	char *list = NULL;

	assert_false(grow(&list, 0, too_large));
	assert_null(list);
	assert_true(grow(&list, 0, 1));
	list[0] = 'x';
	assert_false(grow(&list, 16, too_large));
	assert_int_equal(list[0], 'x');
	free(list);
}

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

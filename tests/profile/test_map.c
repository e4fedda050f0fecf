/* A map keeps the value of each key, however many keys there are. */
#include "runtime/profile/base/map.h"
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

/* Places of objects that were loaded again: found while they are there, replaced by an object
 * that overlaps them, dropped when they are unloaded.  A reader during a change finds nothing
 * wrong. */

#include <pthread.h>

#include "runtime/sample/objects/module.h"
#include "tests/support/unit.h"

#define PLACES 2048
#define STEP   0x1000ULL

static struct module_offset place_of(uint64_t number)
{
	return (struct module_offset){ .start = (number + 1) * STEP,
				       .end = (number + 2) * STEP,
				       .shift = number * 3,
				       .generation = (uint32_t)number };
}

UNIT(setup)
{
	module_offset_start();
	return 0;
}

static bool is_even(uint64_t start_address, void *context)
{
	(void)context;
	return start_address / STEP % 2 == 0;
}

TEST(what_is_set_is_found_until_it_is_dropped)
{
	struct module_offset found;
	uint32_t changes = module_offset_changes();

	for (uint64_t i = 0; i < PLACES; i++) {
		struct module_offset place = place_of(i);

		assert_true(module_offset_set(&place));
	}
	assert_int_not_equal(module_offset_changes(), changes);
	for (uint64_t i = 0; i < PLACES; i++) {
		assert_true(module_offset_find((i + 2) * STEP - 1, &found));
		assert_int_equal(found.generation, i);
		assert_int_equal(found.shift, 3 * i);
	}
	assert_false(module_offset_find(STEP - 1, &found));
	assert_false(module_offset_find((PLACES + 1) * STEP, &found));
	module_offset_keep(is_even, NULL);
	for (uint64_t i = 0; i < PLACES; i++)
		assert_int_equal(module_offset_find((i + 1) * STEP, &found), i % 2);
}

TEST(a_full_table_refuses)
{
	struct module_offset place;

	for (uint64_t i = 0; i < PLACES; i++) {
		place = place_of(i);
		assert_true(module_offset_set(&place));
	}
	place = place_of(PLACES);
	assert_false(module_offset_set(&place));
	place = place_of(0); /* but takes what replaces another */
	assert_true(module_offset_set(&place));
}

TEST(what_overlaps_is_replaced)
{
	struct module_offset wide = { .start = 3 * STEP, .end = 6 * STEP, .generation = 77 }, found;

	for (uint64_t i = 0; i < 8; i++) {
		struct module_offset place = place_of(i);

		assert_true(module_offset_set(&place));
	}
	assert_true(module_offset_set(&wide));
	for (uint64_t i = 0; i < 8; i++) {
		assert_true(module_offset_find((i + 1) * STEP, &found));
		assert_int_equal(found.generation, i >= 2 && i < 5 ? 77 : i);
	}
}

static void *change(void *rounds)
{
	for (uint64_t i = 0; i < *(const uint64_t *)rounds; i++) {
		struct module_offset place = {
			.start = STEP, .end = 2 * STEP, .shift = i, .generation = (uint32_t)i
		};

		module_offset_set(&place);
	}
	return NULL;
}

TEST(a_reader_sees_a_whole_place_or_none)
{
	uint64_t rounds = 200000;
	struct module_offset found;
	pthread_t writer;

	assert_int_equal(pthread_create(&writer, NULL, change, &rounds), 0);
	do {
		if (module_offset_find(STEP, &found))
			assert_int_equal(found.shift, found.generation);
		else
			found.generation = 0;
	} while (module_offset_changes() < 2 * rounds);
	pthread_join(writer, NULL);
	assert_true(module_offset_find(STEP, &found));
	assert_int_equal(found.generation, rounds - 1);
}

/* Keys of functions are found while others are added, and their number is bounded: when there is no
 * room for another, all are forgotten. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/sample/store/script_table.h"
#include "tests/support/unit.h"

#define NUMBERS 1000
#define READERS 3

static _Atomic bool stop;

UNIT(setup)
{
	script_keys_start();
	return 0;
}

static struct code_key key_of(uint64_t i)
{
	return (struct code_key){ .address = i * 64, .print = { i % 3, i % 5, i % 7 } };
}

static uint32_t number_of(uint64_t i)
{
	return (uint32_t)(1 + i % NUMBERS);
}

static void add(uint64_t i)
{
	struct code_key key = key_of(i);

	script_keys_add(&key, number_of(i));
}

static uint32_t find(uint64_t i)
{
	struct code_key key = key_of(i);

	return script_keys_find(&key);
}

TEST(all_keys_are_found_up_to_the_bound)
{
	for (uint64_t i = 0; i < SCRIPT_KEYS_MAX; i++) {
		assert_int_equal(find(i), 0);
		add(i);
		assert_int_equal(find(i), number_of(i));
	}
	for (uint64_t i = 0; i < SCRIPT_KEYS_MAX; i++)
		assert_int_equal(find(i), number_of(i));
	assert_int_equal(find(SCRIPT_KEYS_MAX), 0);
}

TEST(beyond_the_bound_all_keys_are_forgotten)
{
	for (uint64_t i = 0; i < SCRIPT_KEYS_MAX; i++)
		add(i);
	add(SCRIPT_KEYS_MAX);
	assert_int_equal(find(SCRIPT_KEYS_MAX), number_of(SCRIPT_KEYS_MAX));
	for (uint64_t i = 0; i < SCRIPT_KEYS_MAX; i++)
		assert_int_equal(find(i), 0);
	for (uint64_t i = 0; i < SCRIPT_KEYS_MAX; i++)
		add(i);
	assert_int_equal(find(SCRIPT_KEYS_MAX - 1), number_of(SCRIPT_KEYS_MAX - 1));
}

TEST(a_start_forgets_all)
{
	for (uint64_t i = 0; i < NUMBERS; i++)
		add(i);
	script_keys_start();
	for (uint64_t i = 0; i < NUMBERS; i++)
		assert_int_equal(find(i), 0);
}

static void *read_all(void *wrong)
{
	for (uint64_t i = 0; !atomic_load(&stop); i++) {
		uint32_t number = find(i % (3 * SCRIPT_KEYS_MAX));

		if (number && number != number_of(i % (3 * SCRIPT_KEYS_MAX)))
			*(_Atomic bool *)wrong = true;
	}
	return NULL;
}

/* The arrays grow meanwhile, and all keys are forgotten several times. */
TEST(a_reader_finds_the_right_number_or_none)
{
	pthread_t readers[READERS];
	_Atomic bool wrong = false;

	atomic_store(&stop, false);
	for (unsigned i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, read_all, &wrong), 0);
	for (uint64_t i = 0; i < 3ULL * SCRIPT_KEYS_MAX; i++)
		if (!find(i))
			add(i);
	atomic_store(&stop, true);
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	assert_false(wrong);
}

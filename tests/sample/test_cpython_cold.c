/* The part of a function that the compiler put elsewhere is found by the jumps to it and back. */

#include <string.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/interp/cpython/cpython.h"
#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/unwind/unwind.h"
#include "tests/support/unit.h"

#define ALONE __attribute__((noinline, no_sanitize("address", "undefined")))

static volatile int calls;

__attribute__((cold)) ALONE static int seldom(int value)
{
	calls++;
	return value;
}

#define SELDOM(number)                                     \
	do {                                               \
		if (value == (number))                     \
			value += seldom(value + (number)); \
		value ^= calls;                            \
	} while (0)

/* More jumps away and back than a part must have. */
__attribute__((optimize("O2", "reorder-blocks-and-partition"))) ALONE static int split(int value)
{
	SELDOM(1);
	SELDOM(20);
	SELDOM(300);
	SELDOM(4000);
	SELDOM(50000);
	SELDOM(600000);
	SELDOM(7000000);
	SELDOM(80000000);
	return value;
}

ALONE static int whole(int value)
{
	for (int i = 0; i < 10; i++)
		value ^= calls + i;
	return value;
}

/* What a look at an object with this function would have found so far. */
static struct cpython around(int (*function)(int))
{
	struct cpython python = { .eval.start = (uint64_t)(uintptr_t)function };
	struct unwind_module *module;
	struct unwind_entry entry;

	assert_true(unwind_lock_try());
	module = unwind_module_find(python.eval.start);
	assert_non_null(module);
	assert_true(unwind_module_entry(module, python.eval.start, &entry));
	python.eval.end = entry.next;
	python.start = module->start;
	python.end = module->end;
	unwind_lock_release();
	return python;
}

UNIT(begin)
{
	memory_start();
	loader_start();
	return unwind_start();
}

TEST(a_part_that_lies_elsewhere_is_found)
{
	struct cpython python = around(split);
	struct interp_range cold;

	assert_true(cpython_cold_find(&python, &cold));
	assert_int_equal(split(7), 7);
	if (cold.start == cold.end)
		skip(); /* this compiler leaves it together */
	assert_true(cold.start >= python.start && cold.end <= python.end);
	assert_true(cold.end <= python.eval.start || cold.start >= python.eval.end);
}

TEST(a_function_that_lies_together_has_no_other_part)
{
	struct cpython python = around(whole);
	struct interp_range cold;

	assert_true(cpython_cold_find(&python, &cold));
	assert_int_equal(whole(0), 0 ^ 1 ^ 2 ^ 3 ^ 4 ^ 5 ^ 6 ^ 7 ^ 8 ^ 9);
	assert_int_equal(cold.start, cold.end);
}

TEST(while_another_thread_unwinds_it_is_not_said_that_there_is_none)
{
	struct cpython python = around(split);
	struct interp_range cold;

	assert_true(unwind_lock_try());
	assert_false(cpython_cold_find(&python, &cold));
	unwind_lock_release();
	assert_true(cpython_cold_find(&python, &cold));
}

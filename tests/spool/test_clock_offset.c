/* The clock offsets of a time namespace are read in the form in which the kernel writes them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include "runtime/spool/clock_offset.h"

#define DAY_NS 86400000000000LL

static void each_clock_has_its_own_offset(void **state)
{
	const char *text = "monotonic       86400         0\n"
			   "boottime          -60 500000000\n";

	(void)state;
	assert_int_equal(clock_offset_ns(text, "monotonic"), DAY_NS);
	assert_int_equal(clock_offset_ns(text, "boottime"), -59500000000LL);
}

static void what_is_not_there_is_no_offset(void **state)
{
	(void)state;
	assert_int_equal(clock_offset_ns("", "monotonic"), 0);
	assert_int_equal(clock_offset_ns("monotonic", "monotonic"), 0);
	assert_int_equal(clock_offset_ns("monotonic x y\n", "monotonic"), 0);
	assert_int_equal(clock_offset_ns("monotonic 1 0", "boottime"), 0);
	assert_int_equal(clock_offset_ns("x\ny\n", "boottime"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_clock_has_its_own_offset),
		cmocka_unit_test(what_is_not_there_is_no_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The clock offsets of a time namespace are read in the form in which the kernel writes them. */
#include "runtime/spool/clock_offset.h"
#include "tests/support/unit.h"

#define DAY_NS 86400000000000LL

TEST(each_clock_has_its_own_offset)
{
	const char *text = "monotonic       86400         0\n"
			   "boottime          -60 500000000\n";

	assert_int_equal(clock_offset_ns(text, "monotonic"), DAY_NS);
	assert_int_equal(clock_offset_ns(text, "boottime"), -59500000000LL);
}

TEST(what_is_not_there_is_no_offset)
{
	assert_int_equal(clock_offset_ns("", "monotonic"), 0);
	assert_int_equal(clock_offset_ns("monotonic", "monotonic"), 0);
	assert_int_equal(clock_offset_ns("monotonic x y\n", "monotonic"), 0);
	assert_int_equal(clock_offset_ns("monotonic 1 0", "boottime"), 0);
	assert_int_equal(clock_offset_ns("x\ny\n", "boottime"), 0);
}

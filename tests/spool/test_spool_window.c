/* A window opens and closes at the moment that is given, and is empty while it changes. */
#include "runtime/spool/spool_window.h"
#include "tests/support/unit.h"

static struct spool_header header;

UNIT(setup)
{
	memset((void *)&header, 0, sizeof(header));
	spool_window_set(&header, UINT64_MAX, UINT64_MAX);
	return 0;
}

TEST(a_paused_spool_holds_nothing)
{
	assert_true(spool_window_is_paused(&header));
	assert_false(spool_window_holds(&header, 0));
	assert_false(spool_window_holds(&header, UINT64_MAX));
}

TEST(a_window_holds_its_start_and_not_its_end)
{
	spool_window_set(&header, 10, 20);
	assert_false(spool_window_is_paused(&header));
	assert_false(spool_window_holds(&header, 9));
	assert_true(spool_window_holds(&header, 10));
	assert_true(spool_window_holds(&header, 19));
	assert_false(spool_window_holds(&header, 20));
}

TEST(start_opens_it_until_stop)
{
	spool_window_open(&header, 100);
	assert_false(spool_window_holds(&header, 99));
	assert_true(spool_window_holds(&header, 100));
	assert_true(spool_window_holds(&header, UINT64_MAX - 1));
	spool_window_close(&header, 200);
	assert_false(spool_window_holds(&header, 150));
	assert_false(spool_window_holds(&header, 200));
	assert_false(spool_window_is_paused(&header));
}

TEST(a_length_that_was_asked_for_counts_from_start)
{
	header.stop_after_ns = 50;
	spool_window_open(&header, 100);
	assert_true(spool_window_holds(&header, 149));
	assert_false(spool_window_holds(&header, 150));
}

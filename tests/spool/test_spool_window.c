/* A window opens and closes at the moment that is given, and is empty while it changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/spool/spool_window.h"

static struct spool_header header;

static int begin(void **state)
{
	(void)state;
	memset((void *)&header, 0, sizeof(header));
	spool_window_set(&header, UINT64_MAX, UINT64_MAX);
	return 0;
}

static void a_paused_spool_holds_nothing(void **state)
{
	(void)state;
	assert_true(spool_window_is_paused(&header));
	assert_false(spool_window_holds(&header, 0));
	assert_false(spool_window_holds(&header, UINT64_MAX));
}

static void a_window_holds_its_start_and_not_its_end(void **state)
{
	(void)state;
	spool_window_set(&header, 10, 20);
	assert_false(spool_window_is_paused(&header));
	assert_false(spool_window_holds(&header, 9));
	assert_true(spool_window_holds(&header, 10));
	assert_true(spool_window_holds(&header, 19));
	assert_false(spool_window_holds(&header, 20));
}

static void start_opens_it_until_stop(void **state)
{
	(void)state;
	spool_window_open(&header, 100);
	assert_false(spool_window_holds(&header, 99));
	assert_true(spool_window_holds(&header, 100));
	assert_true(spool_window_holds(&header, UINT64_MAX - 1));
	spool_window_close(&header, 200);
	assert_false(spool_window_holds(&header, 150));
	assert_false(spool_window_holds(&header, 200));
	assert_false(spool_window_is_paused(&header));
}

static void a_length_that_was_asked_for_counts_from_start(void **state)
{
	(void)state;
	header.stop_after_ns = 50;
	spool_window_open(&header, 100);
	assert_true(spool_window_holds(&header, 149));
	assert_false(spool_window_holds(&header, 150));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_paused_spool_holds_nothing, begin),
		cmocka_unit_test_setup(a_window_holds_its_start_and_not_its_end, begin),
		cmocka_unit_test_setup(start_opens_it_until_stop, begin),
		cmocka_unit_test_setup(a_length_that_was_asked_for_counts_from_start, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

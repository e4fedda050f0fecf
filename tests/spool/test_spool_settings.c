/* The numbers of settings in a spool are pinned: an old file keeps its meaning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/spool/spool_settings.h"

static void each_weight_has_its_number(void **state)
{
	(void)state;
	assert_int_equal(spool_settings_put_weight(SETTINGS_WEIGHT_AUTO), 0);
	assert_int_equal(spool_settings_put_weight(SETTINGS_WEIGHT_SAMPLES), 1);
	assert_int_equal(spool_settings_put_weight(SETTINGS_WEIGHT_EVENTS), 2);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(spool_settings_put_weight(spool_settings_weight(i)), i);
	assert_int_equal(spool_settings_weight(3), SETTINGS_WEIGHT_SAMPLES);
	assert_int_equal(spool_settings_weight(UINT32_MAX), SETTINGS_WEIGHT_SAMPLES);
}

static void each_way_to_show_threads_has_its_number(void **state)
{
	(void)state;
	assert_int_equal(spool_settings_put_threads(SETTINGS_THREADS_MERGE), 0);
	assert_int_equal(spool_settings_put_threads(SETTINGS_THREADS_NAME), 1);
	assert_int_equal(spool_settings_put_threads(SETTINGS_THREADS_ID), 2);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(spool_settings_put_threads(spool_settings_threads(i)), i);
	assert_int_equal(spool_settings_threads(3), SETTINGS_THREADS_MERGE);
}

static void each_format_has_its_bit(void **state)
{
	static const struct {
		unsigned setting;
		uint32_t bit;
	} formats[] = {
		{ SETTINGS_FORMAT_FOLDED, 1 },	    { SETTINGS_FORMAT_SVG, 2 },
		{ SETTINGS_FORMAT_PPROF, 4 },	    { SETTINGS_FORMAT_SPEEDSCOPE, 8 },
		{ SETTINGS_FORMAT_GPERFTOOLS, 16 }, { SETTINGS_FORMAT_SPOOL, 32 },
	};
	unsigned all = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		assert_int_equal(spool_settings_put_formats(formats[i].setting), formats[i].bit);
		assert_int_equal(spool_settings_formats(formats[i].bit), formats[i].setting);
		all |= formats[i].setting;
	}
	assert_int_equal(spool_settings_put_formats(all), 63);
	assert_int_equal(spool_settings_formats(UINT32_MAX), all);
	assert_int_equal(spool_settings_formats(64), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_weight_has_its_number),
		cmocka_unit_test(each_way_to_show_threads_has_its_number),
		cmocka_unit_test(each_format_has_its_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

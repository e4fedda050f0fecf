/* The numbers of settings in a spool are pinned: an old file keeps its meaning. */
#include "runtime/spool/spool_settings.h"
#include "tests/support/unit.h"

TEST(weights_and_ways_to_show_threads_have_their_numbers)
{
	assert_int_equal(spool_settings_weight(0), SETTINGS_WEIGHT_AUTO);
	assert_int_equal(spool_settings_weight(1), SETTINGS_WEIGHT_SAMPLES);
	assert_int_equal(spool_settings_weight(2), SETTINGS_WEIGHT_EVENTS);
	assert_int_equal(spool_settings_weight(3), SETTINGS_WEIGHT_SAMPLES);
	assert_int_equal(spool_settings_weight(UINT32_MAX), SETTINGS_WEIGHT_SAMPLES);
	assert_int_equal(spool_settings_threads(0), SETTINGS_THREADS_MERGE);
	assert_int_equal(spool_settings_threads(1), SETTINGS_THREADS_NAME);
	assert_int_equal(spool_settings_threads(2), SETTINGS_THREADS_ID);
	assert_int_equal(spool_settings_threads(3), SETTINGS_THREADS_MERGE);
}

TEST(each_format_has_its_bit)
{
	static const unsigned formats[] = {
		SETTINGS_FORMAT_FOLDED,	    SETTINGS_FORMAT_SVG,	SETTINGS_FORMAT_PPROF,
		SETTINGS_FORMAT_SPEEDSCOPE, SETTINGS_FORMAT_GPERFTOOLS, SETTINGS_FORMAT_SPOOL,
		SETTINGS_FORMAT_HTML,	    SETTINGS_FORMAT_FIREFOX,	SETTINGS_FORMAT_PERFETTO,
		SETTINGS_FORMAT_PERFSCRIPT,
	};

	for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		assert_int_equal(spool_settings_formats(1U << i), formats[i]);
	assert_int_equal(spool_settings_formats(UINT32_MAX), SETTINGS_FORMATS_KNOWN);
}

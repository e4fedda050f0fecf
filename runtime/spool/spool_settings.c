/*
 * A setting and its number in the file are equal, as the compiler checks here.  A setting that gets
 * another value must be translated from then on.
 */
#include "runtime/spool/spool_settings.h"

#define SAME(setting, asked) _Static_assert((int)(setting) == (int)(asked), #setting)

SAME(SETTINGS_WEIGHT_AUTO, SPOOL_ASKED_WEIGHT_AUTO);
SAME(SETTINGS_WEIGHT_SAMPLES, SPOOL_ASKED_WEIGHT_SAMPLES);
SAME(SETTINGS_WEIGHT_EVENTS, SPOOL_ASKED_WEIGHT_EVENTS);
SAME(SETTINGS_THREADS_MERGE, SPOOL_ASKED_THREADS_MERGE);
SAME(SETTINGS_THREADS_NAME, SPOOL_ASKED_THREADS_NAME);
SAME(SETTINGS_THREADS_ID, SPOOL_ASKED_THREADS_ID);
SAME(SETTINGS_FORMAT_FOLDED, SPOOL_ASKED_FOLDED);
SAME(SETTINGS_FORMAT_SVG, SPOOL_ASKED_SVG);
SAME(SETTINGS_FORMAT_PPROF, SPOOL_ASKED_PPROF);
SAME(SETTINGS_FORMAT_SPEEDSCOPE, SPOOL_ASKED_SPEEDSCOPE);
SAME(SETTINGS_FORMAT_GPERFTOOLS, SPOOL_ASKED_GPERFTOOLS);
SAME(SETTINGS_FORMAT_SPOOL, SPOOL_ASKED_SPOOL);

enum settings_weight spool_settings_weight(uint32_t asked)
{
	return asked <= SPOOL_ASKED_WEIGHT_EVENTS ? (enum settings_weight)asked
						  : SETTINGS_WEIGHT_SAMPLES;
}

enum settings_threads spool_settings_threads(uint32_t asked)
{
	return asked <= SPOOL_ASKED_THREADS_ID ? (enum settings_threads)asked
					       : SETTINGS_THREADS_MERGE;
}

unsigned spool_settings_formats(uint32_t asked)
{
	return asked & (2 * SPOOL_ASKED_SPOOL - 1);
}

bool spool_settings_weigh_events(const struct spool_counter *about, enum settings_weight weight)
{
	return !(about->flags & SPOOL_COUNTER_SAMPLES) || weight == SETTINGS_WEIGHT_EVENTS ||
	       (weight == SETTINGS_WEIGHT_AUTO && about->flags & SPOOL_COUNTER_OFF_CPU);
}

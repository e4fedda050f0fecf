/*
 * The numbers in a file are those of config/settings, pinned here.  A setting that gets another
 * value must be translated from then on.
 */
#include "runtime/spool/spool_settings.h"

_Static_assert(SETTINGS_WEIGHT_AUTO == 0 && SETTINGS_WEIGHT_SAMPLES == 1 &&
		       SETTINGS_WEIGHT_EVENTS == 2,
	       "weight in a file");
_Static_assert(SETTINGS_THREADS_MERGE == 0 && SETTINGS_THREADS_NAME == 1 &&
		       SETTINGS_THREADS_ID == 2,
	       "threads in a file");
_Static_assert(SETTINGS_INTERP_MERGE == 0 && SETTINGS_INTERP_ONLY == 1 && SETTINGS_INTERP_NO == 2,
	       "interp in a file");
enum settings_weight spool_settings_weight(uint32_t asked)
{
	return asked <= SETTINGS_WEIGHT_EVENTS ? (enum settings_weight)asked
					       : SETTINGS_WEIGHT_SAMPLES;
}

enum settings_threads spool_settings_threads(uint32_t asked)
{
	return asked <= SETTINGS_THREADS_ID ? (enum settings_threads)asked : SETTINGS_THREADS_MERGE;
}

unsigned spool_settings_formats(uint32_t asked)
{
	return asked & SETTINGS_FORMATS_KNOWN;
}

enum settings_interp spool_settings_interp(uint32_t asked)
{
	return asked <= SETTINGS_INTERP_NO ? (enum settings_interp)asked : SETTINGS_INTERP_MERGE;
}

bool spool_settings_weigh_events(const struct spool_counter *about, enum settings_weight weight)
{
	return !(about->flags & SPOOL_COUNTER_SAMPLES) || weight == SETTINGS_WEIGHT_EVENTS ||
	       (weight == SETTINGS_WEIGHT_AUTO && about->flags & SPOOL_COUNTER_OFF_CPU);
}

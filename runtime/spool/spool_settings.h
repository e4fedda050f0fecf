/*
 * The settings that the header of a spool stores, as it stores them.  The numbers in a file never
 * change their meaning.
 */
#ifndef RUNTIME_SPOOL_SPOOL_SETTINGS_H
#define RUNTIME_SPOOL_SPOOL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/settings/settings.h"
#include "runtime/spool/format.h"

/* Return the setting for a number in a file.  The number may be any: an unknown weight means
 * samples, an unknown `threads` or `interp` merges, and an unknown bit names no format.
 * Context of all: any. */
static inline enum settings_weight spool_settings_weight(uint32_t asked)
{
	return asked <= SETTINGS_WEIGHT_EVENTS ? (enum settings_weight)asked
					       : SETTINGS_WEIGHT_SAMPLES;
}

static inline enum settings_threads spool_settings_threads(uint32_t asked)
{
	return asked <= SETTINGS_THREADS_ID ? (enum settings_threads)asked : SETTINGS_THREADS_MERGE;
}

static inline unsigned spool_settings_formats(uint32_t asked)
{
	return asked & SETTINGS_FORMATS_KNOWN;
}

static inline enum settings_interp spool_settings_interp(uint32_t asked)
{
	return asked <= SETTINGS_INTERP_NO ? (enum settings_interp)asked : SETTINGS_INTERP_MERGE;
}

/* True if the stacks of a counter are weighed by its events: if the user asked for that, always
 * if the counter takes no samples of its own, and by default if its unit is time off the
 * processor. */
static inline bool spool_settings_weigh_events(const struct spool_counter *about,
					       enum settings_weight weight)
{
	return !(about->flags & SPOOL_COUNTER_SAMPLES) || weight == SETTINGS_WEIGHT_EVENTS ||
	       (weight == SETTINGS_WEIGHT_AUTO && about->flags & SPOOL_COUNTER_OFF_CPU);
}

#endif

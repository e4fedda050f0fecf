/*
 * A new value in an enum of config/settings makes the compiler warn here (-Wswitch) until it has a
 * number in the file.
 */
#include "runtime/spool/spool_settings.h"

#include <stddef.h>

static const struct {
	unsigned setting;
	uint32_t asked;
} formats_asked[] = {
	{ SETTINGS_FORMAT_FOLDED, SPOOL_ASKED_FOLDED },
	{ SETTINGS_FORMAT_SVG, SPOOL_ASKED_SVG },
	{ SETTINGS_FORMAT_PPROF, SPOOL_ASKED_PPROF },
	{ SETTINGS_FORMAT_SPEEDSCOPE, SPOOL_ASKED_SPEEDSCOPE },
	{ SETTINGS_FORMAT_GPERFTOOLS, SPOOL_ASKED_GPERFTOOLS },
	{ SETTINGS_FORMAT_SPOOL, SPOOL_ASKED_SPOOL },
};
#define FORMATS_NUMBER (sizeof(formats_asked) / sizeof(formats_asked[0]))

uint32_t spool_settings_put_weight(enum settings_weight weight)
{
	switch (weight) {
	case SETTINGS_WEIGHT_AUTO:
		return SPOOL_ASKED_WEIGHT_AUTO;
	case SETTINGS_WEIGHT_EVENTS:
		return SPOOL_ASKED_WEIGHT_EVENTS;
	case SETTINGS_WEIGHT_SAMPLES:
		break;
	}
	return SPOOL_ASKED_WEIGHT_SAMPLES;
}

uint32_t spool_settings_put_threads(enum settings_threads threads)
{
	switch (threads) {
	case SETTINGS_THREADS_NAME:
		return SPOOL_ASKED_THREADS_NAME;
	case SETTINGS_THREADS_ID:
		return SPOOL_ASKED_THREADS_ID;
	case SETTINGS_THREADS_MERGE:
		break;
	}
	return SPOOL_ASKED_THREADS_MERGE;
}

uint32_t spool_settings_put_formats(unsigned formats)
{
	uint32_t asked = 0;

	for (size_t i = 0; i < FORMATS_NUMBER; i++)
		if (formats & formats_asked[i].setting)
			asked |= formats_asked[i].asked;
	return asked;
}

enum settings_weight spool_settings_weight(uint32_t asked)
{
	if (asked == SPOOL_ASKED_WEIGHT_AUTO)
		return SETTINGS_WEIGHT_AUTO;
	return asked == SPOOL_ASKED_WEIGHT_EVENTS ? SETTINGS_WEIGHT_EVENTS
						  : SETTINGS_WEIGHT_SAMPLES;
}

enum settings_threads spool_settings_threads(uint32_t asked)
{
	if (asked == SPOOL_ASKED_THREADS_NAME)
		return SETTINGS_THREADS_NAME;
	return asked == SPOOL_ASKED_THREADS_ID ? SETTINGS_THREADS_ID : SETTINGS_THREADS_MERGE;
}

unsigned spool_settings_formats(uint32_t asked)
{
	unsigned formats = 0;

	for (size_t i = 0; i < FORMATS_NUMBER; i++)
		if (asked & formats_asked[i].asked)
			formats |= formats_asked[i].setting;
	return formats;
}

bool spool_settings_weigh_events(const struct spool_counter *about, enum settings_weight weight)
{
	return !(about->flags & SPOOL_COUNTER_SAMPLES) || weight == SETTINGS_WEIGHT_EVENTS ||
	       (weight == SETTINGS_WEIGHT_AUTO && about->flags & SPOOL_COUNTER_OFF_CPU);
}

/*
 * Shows counts in the unit that sysfs gives for a PMU's named event, for example 0.0009765625 MiB
 * per event.  Counts stay whole numbers everywhere; only their display is scaled.
 */
#ifndef RUNTIME_PROFILE_SPOOL_EVENT_SCALE_H
#define RUNTIME_PROFILE_SPOOL_EVENT_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool_counter;

/* Returns true if the counter has a scale or a unit.  Context: any. */
bool event_scale_exists(const struct spool_counter *counter);

/* Converts a number of events into the unit that event_scale_unit() returns.  Context: any. */
double event_scale_apply(const struct spool_counter *counter, uint64_t events);

/* Returns the unit, such as "MiB"; "events" where there is none.  The text lives as long as the
 * counter.  Context: any. */
const char *event_scale_unit(const struct spool_counter *counter);

/* Writes a scaled count with its unit: "12.5 MiB".  Context: any. */
void event_scale_text(const struct spool_counter *counter, uint64_t events, char *text,
		      size_t bytes);

#endif

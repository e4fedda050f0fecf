/*
 * Counts of events that stand for something else, as sysfs says of a PMU's named event: so many
 * times 0.0009765625 MiB.  Counts stay whole numbers everywhere; this is how they are shown.
 */
#ifndef RUNTIME_FOLD_SPOOL_EVENT_SCALE_H
#define RUNTIME_FOLD_SPOOL_EVENT_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool_counter;

/* True if an event of the counter is worth something else than one event.  Context: any. */
bool event_scale_exists(const struct spool_counter *counter);

/* What so many events are worth, in event_scale_unit's.  Context: any. */
double event_scale_apply(const struct spool_counter *counter, uint64_t events);

/* "MiB"; "events" where there is none; as long as the counter.  Context: any. */
const char *event_scale_unit(const struct spool_counter *counter);

/* "12.5 MiB".  Context: any. */
void event_scale_text(const struct spool_counter *counter, uint64_t events, char *text,
		      size_t bytes);

#endif

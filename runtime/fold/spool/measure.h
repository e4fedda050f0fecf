/*
 * Counts of events that stand for something else, as sysfs says of a PMU's named event: so many
 * times 0.0009765625 MiB.  Counts stay whole numbers everywhere; this is how they are shown.
 */
#ifndef RUNTIME_FOLD_SPOOL_MEASURE_H
#define RUNTIME_FOLD_SPOOL_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool_counter;

/* True if an event of the counter is worth something else than one event.  Context: any. */
bool measure_has(const struct spool_counter *counter);

/* What so many events are worth, in measure_name's.  Context: any. */
double measure_of(const struct spool_counter *counter, uint64_t events);

/* "MiB"; "events" where there is none; as long as the counter.  Context: any. */
const char *measure_name(const struct spool_counter *counter);

/* "12.5 MiB".  Context: any. */
void measure_text(const struct spool_counter *counter, uint64_t events, char *text, size_t bytes);

#endif

/*
 * Profiles of a speedscope file whose samples are in the order of time: one of each thread and
 * counter.
 *
 * Of a counter in nanoseconds the axis is the time of the run, the same for all threads: a sample
 * is as long as the time that it stands for, and samples without a stack fill the gaps.  Of any
 * other counter the axis is what it counted.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_SPEEDSCOPE_TIMED_H
#define RUNTIME_OUTPUT_FORMATS_SPEEDSCOPE_TIMED_H

#include <stdbool.h>

#include "config/settings/settings.h"

struct json;
struct profile;
struct speedscope_timed;
struct string_table;

/* Prepare the profiles of a profile with a timeline.  The names of their frames are added to
 * `frames`: the index of a frame is the number of its name - 1.  Counters in nanoseconds are
 * weighted by them unless `weight` is samples.  Returns 0 or -ENOMEM. */
int speedscope_timed_new(const struct profile *profile, enum settings_weight weight,
			 struct string_table *frames, struct speedscope_timed **timed);
void speedscope_timed_free(struct speedscope_timed *timed);

/* Returns whether they have all samples: of some, a log that was full may not have the time. */
bool speedscope_timed_is_complete(const struct speedscope_timed *timed);

/* Write the profiles as elements of an array.  Returns how many there are. */
unsigned speedscope_timed_write(const struct speedscope_timed *timed, struct json *json);

#endif

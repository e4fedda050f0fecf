/*
 * Writes a trace for Perfetto (ui.perfetto.dev, trace_processor): samples with their stacks as
 * PerfSample, and marks, labels and time off the processor as events of tracks.
 *
 * Each counter is a sequence of packets of its own, with the counter's name as time base and its
 * events so far in each sample; the events of tracks are the first sequence.  Times are
 * CLOCK_MONOTONIC, and a snapshot of the clocks has the wall-clock time of time 0.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_PERFETTO_H
#define RUNTIME_OUTPUT_FORMATS_PERFETTO_H

#include <stdio.h>

struct profile;

/* Write a profile that was made with profile_options.timeline and .locations.  Returns 0, -EIO,
 * -ENOMEM, -ELIBACC without protobuf-c, or -EINVAL without those options. */
int perfetto_write(const struct profile *profile, FILE *file);

#endif

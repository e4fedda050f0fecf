/*
 * The text of `perf script`, which FlameScope, stackcollapse-perf.pl, speedscope and Firefox
 * Profiler read: for each sample a line with thread, time, weight and counter, its frames from the
 * leaf to the outermost, and an empty line.
 *
 * Times are CLOCK_MONOTONIC.  The weight is the number of events.  The address of an inlined
 * function is that of the function it is inlined into, and its module is `inlined`; a function of
 * an interpreted program has the address 0 and its language as module.  Readers split words at
 * spaces and modules at parentheses: these become `_` in names of threads, counters and modules.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_PERFSCRIPT_H
#define RUNTIME_OUTPUT_FORMATS_PERFSCRIPT_H

#include <stdio.h>

struct profile;

/* Write the samples of a profile that was made with profile_options.timeline and .locations, in the
 * order of time.  Returns 0, -EIO, -ENOMEM, or -EINVAL without them. */
int perfscript_write(const struct profile *profile, FILE *file);

#endif

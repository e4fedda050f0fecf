/*
 * Noise of the machine: time that it and the profiler took from the program.  It varies between
 * runs of the same program by more than samples do, so it takes no part in a comparison.
 */
#ifndef RUNTIME_COMPARE_STATISTICS_NOISE_H
#define RUNTIME_COMPARE_STATISTICS_NOISE_H

#include <stdbool.h>

/* Returns true if a frame of this name, with its callees, is noise: interrupts and their deferred
 * work (softirqs), preemption, and sampling itself.  Context: any. */
bool noise_is(const char *name);

#endif

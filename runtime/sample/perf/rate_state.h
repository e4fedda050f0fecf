/*
 * What one thread keeps to decide how often it is sampled: runtime/sample/rate/.
 */
#ifndef RUNTIME_SAMPLE_PERF_RATE_STATE_H
#define RUNTIME_SAMPLE_PERF_RATE_STATE_H

#include <stdint.h>

#include "runtime/sample/perf/governor.h"
#include "runtime/sample/perf/switches.h"

/* The first members limit the handler's own time: governor_backoff().  W, R: the handler. */
struct rate_state {
	uint64_t cost_ns;  /* moving average of the handler's time for full walks */
	uint64_t usual_ns; /* and for all turns of the handler */
	unsigned backoff;  /* one stack in 1 << backoff is walked */
	unsigned skipped;
	struct governor governor;
	struct switches switches;
};

#endif

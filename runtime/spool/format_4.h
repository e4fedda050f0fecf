/*
 * The differences of format version 4, beside those of version 7.  It has no raised periods
 * (raised), no counts of them (REOPENED, COARSE), no takes_ended, no functions of interpreters and
 * no logs: instead, each thread has its eight latest samples, which no reader uses.  Chunks and
 * nodes are as in later versions.  A header up to takes_ended and a thread up to its counts are,
 * too.  No flametrap was released that wrote version 5 or 6.
 */
#ifndef RUNTIME_SPOOL_FORMAT_4_H
#define RUNTIME_SPOOL_FORMAT_4_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format.h"

#define SPOOL_4_COUNTS_NUMBER 28

struct spool_4_counter {
	char name[SPOOL_NAME_MAX];
	uint32_t unit;
	uint32_t leader;
	uint64_t period;
	uint64_t frequency_hz;
	uint32_t flags;
	uint32_t missing;
	char scale[SPOOL_SCALE_MAX];
	char measure[SPOOL_MEASURE_MAX];
};

/* The parts that later versions share at the start and at the end of a header and of a thread. */
#define SPOOL_4_HEADER_SAME offsetof(struct spool_header, takes_ended)
#define SPOOL_4_HEADER_TAIL \
	(offsetof(struct spool_header, first_code) - offsetof(struct spool_header, note))
#define SPOOL_4_THREAD_SAME offsetof(struct spool_thread, count)

struct spool_4_header {
	unsigned char same[SPOOL_4_HEADER_SAME];
	uint32_t none;
	uint64_t start_ticks;
	uint64_t start_realtime_ns;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t cpu_ns;
	uint64_t count[SPOOL_4_COUNTS_NUMBER];
	struct spool_4_counter counter[SPOOL_COUNTERS_MAX];
	unsigned char tail[SPOOL_4_HEADER_TAIL]; /* note and what follows it */
};

struct spool_4_thread {
	unsigned char same[SPOOL_4_THREAD_SAME];
	uint64_t count[SPOOL_4_COUNTS_NUMBER];
	struct spool_total total[SPOOL_COUNTERS_MAX];
	unsigned char recent[200];
	uint64_t seen_ns;
	uint64_t seen_cpu_ns;
};

_Static_assert(sizeof(struct spool_4_counter) == 152, "a counter of version 4");
_Static_assert(sizeof(struct spool_4_header) == 19560, "the header of version 4");
_Static_assert(offsetof(struct spool_4_header, start_ticks) == 112, "behind the padding");
_Static_assert(sizeof(struct spool_4_thread) == 1256, "a thread of version 4");

#endif

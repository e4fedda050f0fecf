/*
 * The differences of format version 6: instead of logs, each thread has its eight latest samples,
 * which no reader uses.  It has no counts of the timeline.  A thread's end, from its totals on, is
 * the same in versions 4 to 6.
 */
#ifndef RUNTIME_SPOOL_FORMAT_6_H
#define RUNTIME_SPOOL_FORMAT_6_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format.h"

#define SPOOL_6_COUNTS_NUMBER 34

#define SPOOL_6_HEADER_SAME offsetof(struct spool_header, count)
#define SPOOL_6_HEADER_TAIL \
	(offsetof(struct spool_header, first_mark) - offsetof(struct spool_header, counter))
#define SPOOL_6_THREAD_SAME offsetof(struct spool_thread, count)

struct spool_6_thread_tail {
	struct spool_total total[SPOOL_COUNTERS_MAX];
	unsigned char recent[200];
	uint64_t seen_ns;
	uint64_t seen_cpu_ns;
};

struct spool_6_header {
	unsigned char same[SPOOL_6_HEADER_SAME];
	uint64_t count[SPOOL_6_COUNTS_NUMBER];
	unsigned char tail[SPOOL_6_HEADER_TAIL]; /* counter and what follows it */
};

struct spool_6_thread {
	unsigned char same[SPOOL_6_THREAD_SAME];
	uint64_t count[SPOOL_6_COUNTS_NUMBER];
	struct spool_6_thread_tail tail;
};

_Static_assert(sizeof(struct spool_6_header) == 19760, "the header of version 6");
_Static_assert(sizeof(struct spool_6_thread) == 1304, "a thread of version 6");

#endif

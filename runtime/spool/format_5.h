/*
 * The differences of format version 5: it has no functions of interpreters, and no counts of them.
 */
#ifndef RUNTIME_SPOOL_FORMAT_5_H
#define RUNTIME_SPOOL_FORMAT_5_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format.h"
#include "runtime/spool/format_6.h"

#define SPOOL_5_COUNTS_NUMBER 30

/* The parts that both versions share before and behind the counts. */
#define SPOOL_5_HEADER_SAME offsetof(struct spool_header, count)
#define SPOOL_5_HEADER_TAIL \
	(offsetof(struct spool_header, first_code) - offsetof(struct spool_header, counter))
#define SPOOL_5_THREAD_SAME offsetof(struct spool_thread, count)

struct spool_5_header {
	unsigned char same[SPOOL_5_HEADER_SAME];
	uint64_t count[SPOOL_5_COUNTS_NUMBER];
	unsigned char tail[SPOOL_5_HEADER_TAIL]; /* counter and what follows it */
};

struct spool_5_thread {
	unsigned char same[SPOOL_5_THREAD_SAME];
	uint64_t count[SPOOL_5_COUNTS_NUMBER];
	struct spool_6_thread_tail tail;
};

_Static_assert(sizeof(struct spool_5_header) == 19704, "the header of version 5");
_Static_assert(sizeof(struct spool_5_thread) == 1272, "a thread of version 5");

#endif

/*
 * One record of the kernel's ring, taken apart: perf_event_open(2), "MMAP layout".
 * Pure: reads `size` bytes at `bytes`, nothing else.  Unknown types are left alone, records
 * that are shorter than what they say they hold are malformed.
 */
#ifndef RUNTIME_SAMPLE_RECORD_H
#define RUNTIME_SAMPLE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/events.h"

/* What the counter was told to write: decides which fields a record has. */
struct record_format {
	uint64_t sample_type; /* PERF_SAMPLE_* */
	uint64_t read_format; /* PERF_FORMAT_*, with GROUP */
	bool trailer;	      /* sample_id_all: records that are no samples end with their time */
};

enum record_kind {
	RECORD_OTHER, /* known or unknown, of no use here */
	RECORD_SAMPLE,
	RECORD_LOST, /* `lost` records did not fit the ring */
	RECORD_THROTTLED,
	RECORD_COMM,
	RECORD_SWITCHED_OUT, /* the thread left the processor at time_ns … */
	RECORD_SWITCHED_IN,  /* … and came back */
	RECORD_MALFORMED,
};

/* Values of the counters of one group, leader first. */
struct record_counts {
	unsigned count;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t value[EVENTS_MAX];
	uint64_t lost[EVENTS_MAX];
};

struct record {
	enum record_kind kind;
	bool in_kernel; /* the overflow was taken in the kernel */
	bool preempted; /* switched out while it could have run on */
	uint64_t time_ns;
	uint64_t period;
	const uint64_t *chain; /* kernel frames, leaf first; into `bytes` */
	unsigned chain_depth;
	struct record_counts counts;
	uint64_t lost;
	const char *comm; /* NUL-terminated, into `bytes` */
};

/* Take one whole record apart.  bytes is 8-aligned; size is header.size.  Context: signal. */
void record_parse(const struct record_format *format, const void *bytes, size_t size,
		  struct record *record);

#endif

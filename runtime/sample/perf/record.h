/*
 * Parses one record of the kernel's ring: perf_event_open(2), "MMAP layout".  The parser is pure:
 * it reads `size` bytes at `bytes` and nothing else.  It skips types that are not needed.  A record
 * that is shorter than its fields require is malformed.  All pointers of a record lead into
 * `bytes`.  Fields that a record of its kind does not have are 0 or NULL.
 */
#ifndef RUNTIME_SAMPLE_PERF_RECORD_H
#define RUNTIME_SAMPLE_PERF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/events/events.h"

/* What the counter was told to write.  It decides which fields a record has. */
struct record_format {
	uint64_t sample_type; /* PERF_SAMPLE_* */
	uint64_t read_format; /* PERF_FORMAT_* */
	bool trailer;	      /* sample_id_all: records other than samples end with their time */
	uint64_t branch_type; /* PERF_SAMPLE_BRANCH_* */
	uint64_t regs_user;   /* mask of registers */
};

enum record_kind {
	RECORD_OTHER, /* a type that is not needed */
	RECORD_SAMPLE,
	RECORD_LOST, /* the ring had no room for `lost` records */
	RECORD_THROTTLED,
	RECORD_SWITCHED_OUT, /* the thread left the processor at time_ns … */
	RECORD_SWITCHED_IN,  /* … and came back */
	RECORD_MALFORMED,
	RECORD_MAPPED,	      /* a new mapping; `text` is the name of its file */
	RECORD_KERNEL_SYMBOL, /* new code in the kernel; `text` is its name */
	RECORD_KINDS,
};

/* Values of the counters of one group, leader first, or of one counter. */
struct record_counts {
	unsigned count;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t value[EVENTS_MAX];
	uint64_t lost[EVENTS_MAX];
};

struct record {
	enum record_kind kind;
	bool in_kernel; /* the overflow was taken in the kernel; one of user code, at its entry */
	bool preempted; /* the thread was still runnable when it was switched out */
	bool removed;	/* the code in the kernel is no longer there */
	uint64_t time_ns;
	uint64_t ip;
	uint64_t address;      /* of the data */
	const uint64_t *chain; /* kernel frames, leaf first */
	unsigned chain_depth;
	uint64_t data_source; /* union perf_mem_data_src */
	uint64_t lost;
	uint64_t start; /* of the mapping, or of the code in the kernel */
	uint64_t bytes;
	const char *text;	     /* NUL-terminated; see the kinds */
	struct record_counts counts; /* last: its arrays are not cleared */
};

/* Parses one whole record.  `bytes` is 8-aligned; `size` is header.size.  Context: signal. */
void record_parse(const struct record_format *format, const void *bytes, size_t size,
		  struct record *record);

#endif

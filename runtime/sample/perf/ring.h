/*
 * The kernel's ring of one leader.  It is read by the thread that it samples, or by the thread that
 * closes it.  The mapping also keeps the counter alive: its descriptor is closed.
 */
#ifndef RUNTIME_SAMPLE_PERF_RING_H
#define RUNTIME_SAMPLE_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/events/events.h"

struct perf_event_mmap_page;

/*
 * Parses one record of the kernel's ring: perf_event_open(2), "MMAP layout".  The parser is pure:
 * it reads `size` bytes at `bytes` and nothing else.  It skips types that are not needed.  A record
 * that is shorter than its fields require is malformed.  All pointers of a record lead into
 * `bytes`.  Fields that a record of its kind does not have are 0 or NULL.
 */

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

#define RING_SCRATCH_BYTES 4096

struct ring {
	/* NULL: not mapped.  W: the thread that opens the counter, which may be another
	 * one.  R: the handler */
	struct perf_event_mmap_page *page;
	size_t mapped_bytes;
	uint64_t tail; /* end of the records read so far; ring_end publishes it */
	uint64_t head; /* the kernel's data_head at ring_begin */
};

/* Maps the ring of fd with up to `pages` data pages (a power of two), or fewer if the
 * locked-memory budget is short.  Returns 0 or -errno.  Context: thread. */
int ring_map(struct ring *ring, int fd, unsigned pages);
void ring_unmap(struct ring *ring);

/* Gives a mapped ring to the handler of another thread, whose `ring` is not mapped.
 * ring_withdraw takes it back while that handler is kept away (thread_hold).  Context: thread,
 * signal. */
void ring_publish(struct ring *ring, const struct ring *mapped);
void ring_withdraw(struct ring *ring, struct ring *mapped);

/* True if the ring has unread records.  Context: signal. */
bool ring_pending(const struct ring *ring);

/* Read the unread records: call begin, then next until it returns false, then end.  A record that
 * wraps is copied together in scratch (RING_SCRATCH_BYTES, 8-aligned); *record points into the ring
 * or into scratch.  An invalid record ends the reading: all unread records are dropped, and the
 * record's kind is RECORD_MALFORMED.  Context: signal. */
void ring_begin(struct ring *ring);
bool ring_next(struct ring *ring, const struct record_format *format, void *scratch,
	       struct record *record);
void ring_end(struct ring *ring);

/* Map `bytes` of an event, shared.  Each mapping takes a place of the process's (vm.max_map_count,
 * proc(5)), and a program with many threads needs these for their stacks, so all together take at
 * most a 16th.  Returns 0 with *mapping; -EUSERS if that is used up; or -errno.  Context: thread,
 * signal. */
int event_mapping_make(void **mapping, size_t bytes, int fd);

/* Remove a mapping, if it is not NULL.  Context: thread, signal. */
void event_mapping_remove(void *mapping, size_t bytes);

/* Count none: a child of fork inherits no mapping of an event (VM_DONTCOPY, perf_mmap in
 * kernel/events/core.c).  Context: fork child. */
void event_mapping_forget_all(void);

#endif

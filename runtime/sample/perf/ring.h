/*
 * The kernel's ring of one leader.  It is read by the thread that it samples, or by the thread that
 * closes it.  The mapping also keeps the counter alive: its descriptor is closed.
 */
#ifndef RUNTIME_SAMPLE_PERF_RING_H
#define RUNTIME_SAMPLE_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;
struct record;
struct record_format;

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

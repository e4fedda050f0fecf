/*
 * The kernel's ring of one leader, read by the thread that it samples (or by the one that
 * closes it).  The mapping is also what keeps the counter alive: the descriptor is closed.
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
	/* NULL: not mapped.  W: the thread that opens the counter, possibly another one.  R: the
	 * handler */
	struct perf_event_mmap_page *page;
	size_t mapped_bytes;
	uint64_t tail; /* of what was read; published by ring_end */
	uint64_t head; /* as of ring_begin */
};

/* Map the ring of fd with up to `pages` data pages (a power of two), fewer where the
 * locked-memory budget is short.  Returns 0 or -errno.  Context: thread. */
int ring_map(struct ring *ring, int fd, unsigned pages);
void ring_unmap(struct ring *ring);

/* Hand a mapped ring over to the handler of another thread, whose `ring` is not mapped; and take
 * it back while that handler is kept away (thread_hold).  Context: thread, signal. */
void ring_publish(struct ring *ring, const struct ring *mapped);
void ring_withdraw(struct ring *ring, struct ring *mapped);

/* True if records wait.  Context: signal. */
bool ring_pending(const struct ring *ring);

/* Read what waits: begin, next until it returns false, end.  A record that wraps is put
 * together in scratch (RING_SCRATCH_BYTES, 8-aligned); *record points into the ring or there.
 * A record that makes no sense ends the reading: all that waits is dropped and the record says
 * RECORD_MALFORMED.  Context: signal. */
void ring_begin(struct ring *ring);
bool ring_next(struct ring *ring, const struct record_format *format, void *scratch,
	       struct record *record);
void ring_end(struct ring *ring);

#endif

/*
 * The window of a spool: samples from window_from_ns up to but not including window_to_ns count.
 * Both are in ns of CLOCK_MONOTONIC.
 *
 *   W: the process before it publishes its spool (FLAMETRAP_START and FLAMETRAP_STOP), afterwards
 *      `flametrap start` and `flametrap stop` from outside.  R: the handler, at each sample; all
 *      readers.
 *
 * A writer changes two words, and the handler may read them between the two changes.  The order of
 * the changes keeps out samples that lie in neither window.
 */
#ifndef RUNTIME_SPOOL_SPOOL_WINDOW_H
#define RUNTIME_SPOOL_SPOOL_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/spool/format.h"

/* Sets the window of a spool that has no reader yet.  Context: init, or the child of a fork. */
static inline void spool_window_set(struct spool_header *header, uint64_t from_ns, uint64_t to_ns)
{
	atomic_store_explicit(&header->window_from_ns, from_ns, memory_order_relaxed);
	atomic_store_explicit(&header->window_to_ns, to_ns, memory_order_relaxed);
}

/* Opens the window at `now_ns`, for the header's stop_after_ns if that is not 0: its end is set
 * before its start.  Context: any process that has the spool mapped, as for spool_window_close().
 */
static inline void spool_window_open(struct spool_header *header, uint64_t now_ns)
{
	uint64_t to_ns = header->stop_after_ns ? now_ns + header->stop_after_ns : UINT64_MAX;

	atomic_store_explicit(&header->window_to_ns, to_ns, memory_order_release);
	atomic_store_explicit(&header->window_from_ns, now_ns, memory_order_release);
}

/* Closes the window: its end is set to `now_ns` before its start is moved away. */
static inline void spool_window_close(struct spool_header *header, uint64_t now_ns)
{
	atomic_store_explicit(&header->window_to_ns, now_ns, memory_order_release);
	atomic_store_explicit(&header->window_from_ns, UINT64_MAX, memory_order_release);
}

/* True if an event at `time_ns` (CLOCK_MONOTONIC) lies in the window.  Context: any. */
static inline bool spool_window_holds(const struct spool_header *header, uint64_t time_ns)
{
	return time_ns >= atomic_load_explicit(&header->window_from_ns, memory_order_relaxed) &&
	       time_ns < atomic_load_explicit(&header->window_to_ns, memory_order_relaxed);
}

/* True if sampling waits for the first `flametrap start`.  Context: any. */
static inline bool spool_window_is_paused(const struct spool_header *header)
{
	return header->window_from_ns == UINT64_MAX && header->window_to_ns == UINT64_MAX;
}

#endif

/*
 * To open the window, its end is set before its start.  To close it, its end is set to now before
 * its start is moved away.
 */
#include "runtime/spool/spool_window.h"

void spool_window_set(struct spool_header *header, uint64_t from_ns, uint64_t to_ns)
{
	atomic_store_explicit(&header->window_from_ns, from_ns, memory_order_relaxed);
	atomic_store_explicit(&header->window_to_ns, to_ns, memory_order_relaxed);
}

void spool_window_open(struct spool_header *header, uint64_t now_ns)
{
	uint64_t to_ns = header->stop_after_ns ? now_ns + header->stop_after_ns : UINT64_MAX;

	atomic_store_explicit(&header->window_to_ns, to_ns, memory_order_release);
	atomic_store_explicit(&header->window_from_ns, now_ns, memory_order_release);
}

void spool_window_close(struct spool_header *header, uint64_t now_ns)
{
	atomic_store_explicit(&header->window_to_ns, now_ns, memory_order_release);
	atomic_store_explicit(&header->window_from_ns, UINT64_MAX, memory_order_release);
}

/*
 * The log of one thread: what goes into its tree, with the time (runtime/spool/format_log.h).  Each
 * tree_weigh() has an entry of the same node, counter, samples and events, so the sum over all
 * entries is the tree, but for what LOG_DROPPED counts and what thinning moves to other nodes.
 *
 * One writer at a time: the thread's handler, or whoever holds the thread (thread_hold); for the
 * logs of ended threads, the holder of the session's lock.
 */
#ifndef RUNTIME_SAMPLE_LOG_LOG_H
#define RUNTIME_SAMPLE_LOG_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/log/log_list.h"

/* Start an empty log for a slot.  Writes nothing if the spool has no timeline.  `labels` outlives
 * the log; NULL: it has the entries of ended threads.  Context: thread (the handler that will use
 * it is not armed yet). */
void log_start(struct log *log, struct spool_alloc *spool, struct spool_thread *slot,
	       const struct labels *labels);

/* For log_add() only: any entry. */
void log_add_any(struct log *log, const struct log_sample *sample);

/* True for an ordinary sample of a log whose chunk takes it with nothing before it. */
static inline bool log_adds_one(const struct log *log, const struct log_sample *sample)
{
	return !sample->member && log->chunk && log->write.count < log->full &&
	       log_write_reaches(&log->write, sample->time_ns) && log_write_is_short(sample) &&
	       log->labels &&
	       log_write_carries(&log->write, labels_now(log->labels), &log->labels->trace);
}

/* Add an entry.  One without samples and events is left out.  What finds no room is counted as
 * LOG_DROPPED.  Context: signal, exit. */
static inline void log_add(struct log *log, const struct log_sample *sample)
{
	if (!log_adds_one(log, sample)) {
		log_add_any(log, sample);
		return;
	}
	log->dropping = false;
	log_write_short(&log->write, sample);
	atomic_store_explicit(&log->chunk->count, log->write.count, memory_order_release);
}

/* Say what the next entries of a log of ended threads carry.  Context: thread. */
void log_carry(struct log *log, const struct log_context *context);

/* Add a mark.  Context: signal, exit. */
void log_mark(struct log *log, enum spool_mark mark, uint64_t time_ns, uint64_t value);

/* Note whether a sample at time_ns is outside the sampling window.  Marks where that began or
 * ended.  Context: signal, exit. */
void log_window_changed(struct log *log, uint64_t time_ns, bool paused);

static inline void log_window(struct log *log, uint64_t time_ns, bool paused)
{
	if (!log->seen || log->paused != paused)
		log_window_changed(log, time_ns, paused);
}

/* Add the entry that ends the thread's log.  Context: thread, after its last sample. */
void log_end(struct log *log, uint64_t time_ns);

#endif

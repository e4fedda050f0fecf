/*
 * An entry is complete before its chunk's count includes it, and an entry with a MORE is published
 * together with that.  A sample begins only where the chunk has room for all members of its group,
 * and for the END of the thread.
 */
#include "runtime/sample/log/log.h"

#include <stddef.h>

#include "runtime/sample/log/log_budget.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/sys/poison.h"

#define TURNS_MAX 3 /* of thinning, for one chunk */

void log_start(struct log *log, struct spool_alloc *spool, struct spool_thread *slot,
	       const struct labels *labels)
{
	uint32_t tid = atomic_load_explicit(&slot->tid, memory_order_relaxed);
	uint64_t start_ns = atomic_load_explicit(&slot->start_ns, memory_order_relaxed);

	*log = (struct log){
		.spool = spool->header->timeline_bytes ? spool : NULL,
		.slot = slot,
		.labels = labels,
		.full = SPOOL_LOG_ENTRIES - 1 - LOG_WRITE_CONTEXT -
			2 * spool->header->counter_count,
		.carried = { .tid = tid, .start_ns = start_ns },
		.random = (start_ns ^ (uint64_t)tid << 32) | 1,
	};
}

static void publish(struct log *log)
{
	atomic_store_explicit(&log->chunk->count, log->write.count, memory_order_release);
}

static inline void write_carried(struct log *log, struct log_write *write)
{
	if (!log->labels)
		log_write_context(write, &log->carried);
	else if (!log_write_carries(write, labels_now(log->labels), &log->labels->trace))
		log_write_labels(write, labels_now(log->labels), &log->labels->trace);
}

/* Joins chunks of this log as long as the logs have too much, or until one can be taken.  It joins
 * at least two if it has more than its share. */
static struct spool_chunk *take_chunk(struct log *log)
{
	bool ended = !log->labels;
	struct spool_chunk *chunk = log_budget_take(log->chunks, ended);

	for (unsigned turn = 0; turn < TURNS_MAX && (!chunk || log_budget_is_over(log->chunks));
	     turn++) {
		if (!log_thin(log))
			break;
		if (!chunk)
			chunk = log_budget_take(log->chunks, ended);
	}
	return chunk;
}

static inline bool has_room_now(const struct log *log, uint64_t time_ns)
{
	return log->chunk && log->write.count < log->full &&
	       log_write_reaches(&log->write, time_ns);
}

static __attribute__((noinline)) bool make_room(struct log *log, uint64_t time_ns)
{
	struct spool_chunk *chunk = take_chunk(log);
	struct log_write write;

	if (!chunk)
		return has_room_now(log, time_ns); /* in a chunk that was joined */
	log_write_start(&write, chunk, time_ns);
	log_write_thread(&write, log->carried.tid, log->carried.start_ns);
	write_carried(log, &write);
	atomic_store_explicit(&chunk->count, write.count, memory_order_relaxed);
	log_list_append(log, chunk);
	log->write = write;
	return true;
}

static inline bool has_room(struct log *log, uint64_t time_ns)
{
	return has_room_now(log, time_ns) || make_room(log, time_ns);
}

void log_carry(struct log *log, const struct log_context *context)
{
	log->carried = *context;
}

static inline bool begin_sample(struct log *log, const struct log_sample *sample)
{
	log->dropping = !has_room(log, sample->time_ns);
	if (log->dropping) {
		spool_alloc_add(&log->slot->count[SPOOL_COUNT_LOG_DROPPED],
				sample->samples ? sample->samples : 1);
		return false;
	}
	write_carried(log, &log->write);
	return true;
}

void log_add_any(struct log *log, const struct log_sample *sample)
{
	if (!log->spool || !(sample->samples | sample->events))
		return;
	if (sample->member ? log->dropping : !begin_sample(log, sample))
		return;
	log_write_sample(&log->write, sample);
	publish(log);
}

void log_mark(struct log *log, enum spool_mark mark, uint64_t time_ns, uint64_t value)
{
	if (!log->spool || !has_room(log, time_ns))
		return;
	write_carried(log, &log->write);
	log_write_point(&log->write, SPOOL_LOG_MARK, mark, time_ns, value);
	publish(log);
}

/* The window may have changed again since: then the mark has the sample's time. */
void log_window_changed(struct log *log, uint64_t time_ns, bool paused)
{
	const _Atomic uint64_t *word;
	uint64_t at_ns;

	if (log->seen && log->spool) {
		word = paused ? &log->spool->header->window_to_ns
			      : &log->spool->header->window_from_ns;
		at_ns = atomic_load_explicit(word, memory_order_relaxed);
		log_mark(log, paused ? SPOOL_MARK_STOP : SPOOL_MARK_START,
			 at_ns < time_ns ? at_ns : time_ns, 0);
	}
	log->seen = true;
	log->paused = paused;
}

/* A thread's last chunk has room for its end. */
void log_end(struct log *log, uint64_t time_ns)
{
	if (!log->spool || !log->chunk || (!log->labels && !has_room(log, time_ns)))
		return;
	if (!log->labels)
		write_carried(log, &log->write);
	log_write_point(&log->write, SPOOL_LOG_END, 0, time_ns, 0);
	publish(log);
}

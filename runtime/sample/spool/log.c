/*
 * An entry is complete before its chunk's count includes it, and an entry with a MORE is published
 * together with that.  A sample begins only where the chunk has room for all members of its group,
 * and for the END of the thread.
 */
#include "runtime/sample/spool/log.h"

#include <stddef.h>

#include "runtime/sample/spool/log_budget.h"
#include "runtime/sample/spool/log_list.h"
#include "runtime/sample/spool/spool_alloc.h"
#include "runtime/sample/sys/poison.h"

#define CONTEXT_ENTRIES 4 /* THREAD, LABELS, TRACE, TRACE_REST */
#define HALF_RANGE	((uint64_t)SPOOL_LOG_TIME_MAX + 1)

void log_start(struct log *log, struct spool_alloc *spool, struct spool_thread *slot,
	       const struct labels *labels)
{
	*log = (struct log){
		.spool = spool->header->timeline_bytes ? spool : NULL,
		.slot = slot,
		.labels = labels,
		.context.tid = atomic_load_explicit(&slot->tid, memory_order_relaxed),
		.context.start_ns = atomic_load_explicit(&slot->start_ns, memory_order_relaxed),
	};
}

/* Writes an entry behind the published ones. */
static void put(struct log *log, uint64_t head, uint64_t body)
{
	struct spool_log_entry *entry = &log->entries[log->count++];

	atomic_store_explicit(&entry->head, head, memory_order_relaxed);
	atomic_store_explicit(&entry->body, body, memory_order_relaxed);
}

static void publish(struct log *log)
{
	atomic_store_explicit(&log->chunk->count, log->count, memory_order_release);
}

static void put_thread(struct log *log)
{
	put(log, (uint64_t)log->context.tid << 32 | SPOOL_LOG_THREAD, log->context.start_ns);
}

static void put_labels(struct log *log)
{
	put(log, SPOOL_LOG_LABELS, log->context.labels);
}

static void put_trace(struct log *log)
{
	const struct labels_trace *trace = &log->context.trace;

	put(log, trace->span << 32 | SPOOL_LOG_TRACE, trace->trace[0]);
	put(log, trace->span >> 32 << 32 | SPOOL_LOG_TRACE_REST, trace->trace[1]);
}

static bool is_same_trace(const struct labels_trace *a, const struct labels_trace *b)
{
	return a->trace[0] == b->trace[0] && a->trace[1] == b->trace[1] && a->span == b->span;
}

static void put_context(struct log *log)
{
	static const struct labels_trace none;

	put_thread(log);
	if (log->context.labels)
		put_labels(log);
	if (!is_same_trace(&log->context.trace, &none))
		put_trace(log);
}

/* Begins a new chunk at the end of the log.  Returns false if there is none. */
static bool add_chunk(struct log *log, uint64_t base_ns)
{
	struct spool_chunk *chunk = log_budget_take();

	if (!chunk)
		return false;
	chunk->base_ns = log->base_ns = base_ns;
	log->entries = (void *)((char *)chunk + SPOOL_CHUNK_HEAD);
	log->count = 0;
	log->full = SPOOL_LOG_ENTRIES - 1 - CONTEXT_ENTRIES - 2 * log->spool->header->counter_count;
	put_context(log);
	atomic_store_explicit(&chunk->count, log->count, memory_order_relaxed);
	log_list_append(log, chunk);
	return true;
}

static bool is_in_range(const struct log *log, uint64_t time_ns)
{
	return time_ns - log->base_ns + HALF_RANGE < 2 * HALF_RANGE;
}

/* Makes sure that an entry of that time, and what goes with it, has room in the chunk. */
static bool has_room(struct log *log, uint64_t time_ns)
{
	return (log->count < log->full && is_in_range(log, time_ns)) || add_chunk(log, time_ns);
}

static void note_thread(struct log *log)
{
	if (log->carried.tid == log->context.tid && log->carried.start_ns == log->context.start_ns)
		return;
	log->context.tid = log->carried.tid;
	log->context.start_ns = log->carried.start_ns;
	put_thread(log);
}

static void note_labels(struct log *log, uint32_t labels, const struct labels_trace *trace)
{
	if (labels != log->context.labels) {
		log->context.labels = labels;
		put_labels(log);
	}
	if (!is_same_trace(trace, &log->context.trace)) {
		log->context.trace = *trace;
		put_trace(log);
	}
}

/* Writes what has changed for the entry that comes next. */
static void note_context(struct log *log)
{
	if (log->labels) {
		note_labels(log, labels_now(log->labels), &log->labels->trace);
		return;
	}
	note_thread(log);
	note_labels(log, log->carried.labels, &log->carried.trace);
}

void log_carry(struct log *log, const struct log_context *context)
{
	log->carried = *context;
}

static void put_sample(struct log *log, const struct log_sample *sample)
{
	bool fits =
		sample->samples <= SPOOL_LOG_SAMPLES_MAX && sample->events <= SPOOL_LOG_EVENTS_MAX;
	uint64_t events = fits ? sample->events : 0;

	if (!fits)
		put(log, sample->samples << 4 | SPOOL_LOG_MORE, sample->events);
	put(log,
	    spool_log_head(sample->member ? SPOOL_LOG_MEMBER : SPOOL_LOG_SAMPLE, sample->counter,
			   fits ? (unsigned)sample->samples : 0,
			   (int64_t)(sample->time_ns - log->base_ns)),
	    events << 32 | sample->node);
}

void log_add(struct log *log, const struct log_sample *sample)
{
	if (!log->spool || (sample->member && log->dropping) || !(sample->samples | sample->events))
		return;
	if (!sample->member) {
		log->dropping = !has_room(log, sample->time_ns);
		if (log->dropping) {
			spool_alloc_add(&log->slot->count[SPOOL_COUNT_LOG_DROPPED],
					sample->samples ? sample->samples : 1);
			return;
		}
		note_context(log);
	}
	put_sample(log, sample);
	publish(log);
}

void log_mark(struct log *log, enum spool_mark mark, uint64_t time_ns, uint64_t value)
{
	if (!log->spool || !has_room(log, time_ns))
		return;
	note_context(log);
	put(log, spool_log_head(SPOOL_LOG_MARK, mark, 0, (int64_t)(time_ns - log->base_ns)), value);
	publish(log);
}

/* The window may have changed again since: then the mark has the sample's time. */
void log_window(struct log *log, uint64_t time_ns, bool paused)
{
	const _Atomic uint64_t *word;
	uint64_t at_ns;

	if (log->seen && log->paused == paused)
		return;
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

/* A living thread's chunk has room for its end.  If the time is out of range, the last one in range
 * stands for it. */
void log_end(struct log *log, uint64_t time_ns)
{
	if (!log->spool || !log->chunk || (!log->labels && !has_room(log, time_ns)))
		return;
	if (!log->labels)
		note_context(log);
	if (!is_in_range(log, time_ns))
		time_ns = log->base_ns + HALF_RANGE - 1;
	put(log, spool_log_head(SPOOL_LOG_END, 0, 0, (int64_t)(time_ns - log->base_ns)), 0);
	publish(log);
}

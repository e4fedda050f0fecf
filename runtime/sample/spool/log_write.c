/*
 * A time out of the chunk's range becomes the nearest one in it.
 */
#include "runtime/sample/spool/log_write.h"

#include "runtime/sample/sys/poison.h"

void log_write_start(struct log_write *write, struct spool_chunk *chunk, uint64_t base_ns)
{
	*write = (struct log_write){
		.entries = (void *)((char *)chunk + SPOOL_CHUNK_HEAD),
		.base_ns = base_ns,
	};
	chunk->base_ns = base_ns;
}

static void put(struct log_write *write, uint64_t head, uint64_t body)
{
	struct spool_log_entry *entry = &write->entries[write->count++];

	atomic_store_explicit(&entry->head, head, memory_order_relaxed);
	atomic_store_explicit(&entry->body, body, memory_order_relaxed);
}

void log_write_thread(struct log_write *write, uint32_t tid, uint64_t start_ns)
{
	if (tid == write->context.tid && start_ns == write->context.start_ns)
		return;
	write->context.tid = tid;
	write->context.start_ns = start_ns;
	put(write, (uint64_t)tid << 32 | SPOOL_LOG_THREAD, start_ns);
}

static bool is_same(const struct labels_trace *a, const struct labels_trace *b)
{
	return a->trace[0] == b->trace[0] && a->trace[1] == b->trace[1] && a->span == b->span;
}

void log_write_labels(struct log_write *write, uint32_t labels, const struct labels_trace *trace)
{
	if (labels != write->context.labels) {
		write->context.labels = labels;
		put(write, SPOOL_LOG_LABELS, labels);
	}
	if (!is_same(trace, &write->context.trace)) {
		write->context.trace = *trace;
		put(write, trace->span << 32 | SPOOL_LOG_TRACE, trace->trace[0]);
		put(write, trace->span >> 32 << 32 | SPOOL_LOG_TRACE_REST, trace->trace[1]);
	}
}

void log_write_context(struct log_write *write, const struct log_context *context)
{
	log_write_thread(write, context->tid, context->start_ns);
	log_write_labels(write, context->labels, &context->trace);
}

static int64_t time_in(const struct log_write *write, uint64_t time_ns)
{
	int64_t since_ns = (int64_t)(time_ns - write->base_ns);

	if (since_ns > SPOOL_LOG_TIME_MAX)
		return SPOOL_LOG_TIME_MAX;
	return since_ns < -SPOOL_LOG_TIME_MAX - 1 ? -SPOOL_LOG_TIME_MAX - 1 : since_ns;
}

void log_write_sample(struct log_write *write, const struct log_sample *sample)
{
	enum spool_log_kind kind = sample->member ? SPOOL_LOG_MEMBER : SPOOL_LOG_SAMPLE;
	uint64_t samples = sample->samples, events = sample->events;

	if (samples > SPOOL_LOG_SAMPLES_MAX || events > SPOOL_LOG_EVENTS_MAX) {
		put(write, samples << 4 | SPOOL_LOG_MORE, events);
		samples = events = 0;
	}
	put(write,
	    spool_log_head(kind, sample->counter, (unsigned)samples,
			   time_in(write, sample->time_ns)),
	    events << 32 | sample->node);
}

void log_write_point(struct log_write *write, enum spool_log_kind kind, unsigned mark,
		     uint64_t time_ns, uint64_t value)
{
	put(write, spool_log_head(kind, mark, 0, time_in(write, time_ns)), value);
}

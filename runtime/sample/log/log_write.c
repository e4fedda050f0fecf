/*
 * Entries that are rarely written: those of each sample are in the header, to be inlined.  What is
 * read holds for the entries behind it, or is a long value of the next one.
 */
#include "runtime/sample/log/log_write.h"
#include "runtime/sample/sys/poison.h"

void log_write_start(struct log_write *write, struct spool_chunk *chunk, uint64_t base_ns)
{
	*write = (struct log_write){
		.entries = (void *)((char *)chunk + SPOOL_CHUNK_HEAD),
		.base_ns = base_ns,
	};
	chunk->base_ns = base_ns;
}

void log_write_thread(struct log_write *write, uint32_t tid, uint64_t start_ns)
{
	if (tid == write->context.tid && start_ns == write->context.start_ns)
		return;
	write->context.tid = tid;
	write->context.start_ns = start_ns;
	log_write_put(write, (uint64_t)tid << 32 | SPOOL_LOG_THREAD, start_ns);
}

void log_write_labels(struct log_write *write, uint32_t labels, const struct labels_trace *trace)
{
	if (labels != write->context.labels) {
		write->context.labels = labels;
		log_write_put(write, SPOOL_LOG_LABELS, labels);
	}
	if (!log_write_carries(write, labels, trace)) {
		write->context.trace = *trace;
		log_write_put(write, trace->span << 32 | SPOOL_LOG_TRACE, trace->trace[0]);
		log_write_put(write, trace->span >> 32 << 32 | SPOOL_LOG_TRACE_REST,
			      trace->trace[1]);
	}
}

void log_write_context(struct log_write *write, const struct log_context *context)
{
	log_write_thread(write, context->tid, context->start_ns);
	log_write_labels(write, context->labels, &context->trace);
}

int64_t log_write_time(const struct log_write *write, uint64_t time_ns)
{
	int64_t since_ns = (int64_t)(time_ns - write->base_ns);

	if (since_ns > SPOOL_LOG_TIME_MAX)
		return SPOOL_LOG_TIME_MAX;
	return since_ns < -SPOOL_LOG_TIME_MAX - 1 ? -SPOOL_LOG_TIME_MAX - 1 : since_ns;
}

void log_write_sample(struct log_write *write, const struct log_sample *sample)
{
	struct log_sample rest = *sample;

	if (rest.samples > SPOOL_LOG_SAMPLES_MAX || rest.events > SPOOL_LOG_EVENTS_MAX) {
		log_write_put(write, rest.samples << 4 | SPOOL_LOG_MORE, rest.events);
		rest.samples = rest.events = 0;
	}
	log_write_short(write, &rest);
}

void log_write_point(struct log_write *write, enum spool_log_kind kind, unsigned mark,
		     uint64_t time_ns, uint64_t value)
{
	log_write_put(write, spool_log_head(kind, mark, 0, log_write_time(write, time_ns)), value);
}

void log_read_start(struct log_read *read, const struct spool_chunk *chunk)
{
	const void *entries = (const char *)chunk + SPOOL_CHUNK_HEAD;
	uint32_t count = atomic_load_explicit(&chunk->count, memory_order_relaxed);

	read->entry = entries;
	read->end = read->entry + count;
	read->base_ns = chunk->base_ns;
	read->context.labels = 0;
	read->context.trace = (struct labels_trace){ 0 };
}

static void read_context(struct log_read *read, uint64_t head, uint64_t body)
{
	struct log_context *context = &read->context;

	switch (spool_log_kind(head)) {
	case SPOOL_LOG_THREAD:
		context->tid = (uint32_t)(head >> 32);
		context->start_ns = body;
		break;
	case SPOOL_LOG_LABELS:
		context->labels = (uint32_t)body;
		break;
	case SPOOL_LOG_TRACE:
		context->trace.trace[0] = body;
		context->trace.span = head >> 32;
		break;
	case SPOOL_LOG_TRACE_REST:
		context->trace.trace[1] = body;
		context->trace.span |= head >> 32 << 32;
		break;
	default:
		break;
	}
}

bool log_read_next(struct log_read *read)
{
	uint64_t samples = 0, events = 0;

	while (read->entry < read->end) {
		uint64_t head = atomic_load_explicit(&read->entry->head, memory_order_relaxed);
		uint64_t body = atomic_load_explicit(&read->entry->body, memory_order_relaxed);

		read->entry++;
		read->kind = spool_log_kind(head);
		read->sample.time_ns = read->base_ns + (uint64_t)spool_log_time(head);
		switch (read->kind) {
		case SPOOL_LOG_SAMPLE:
		case SPOOL_LOG_MEMBER:
			read->sample.samples = samples + spool_log_samples(head);
			read->sample.events = events + (body >> 32);
			read->sample.node = (uint32_t)body;
			read->sample.counter = spool_log_counter(head);
			read->sample.member = read->kind == SPOOL_LOG_MEMBER;
			return true;
		case SPOOL_LOG_MARK:
			read->mark = (enum spool_mark)spool_log_counter(head);
			read->value = body;
			return true;
		case SPOOL_LOG_END:
			return true;
		case SPOOL_LOG_MORE:
			samples = head >> 4;
			events = body;
			break;
		default:
			read_context(read, head, body);
			break;
		}
	}
	return false;
}

/*
 * The entries in between are read on the way: what holds for the next one, and its long values.
 */
#include "runtime/sample/log/log_write.h"
#include "runtime/sample/sys/poison.h"

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

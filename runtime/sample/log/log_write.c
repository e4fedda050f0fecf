/*
 * Entries that are rarely written.  Those of each sample are in the header, to be inlined.
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

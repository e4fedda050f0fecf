/*
 * The entries of a chunk of a log: writes them behind each other, and reads those that this process
 * wrote.  Nothing is published: the caller stores the chunk's count.
 */
#ifndef RUNTIME_SAMPLE_LOG_LOG_WRITE_H
#define RUNTIME_SAMPLE_LOG_LOG_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/labels/labels.h"
#include "runtime/spool/format_log.h"

/* Who made the entries that follow, and what they carry: what each chunk begins with. */
struct log_context {
	uint32_t tid;
	uint32_t labels;
	uint64_t start_ns;
	struct labels_trace trace;
};

/* One entry of a sample. */
struct log_sample {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t samples;
	uint64_t events;
	uint32_t node;
	unsigned counter;
	bool member; /* of the group of the last sample */
};

struct log_write {
	struct spool_log_entry *entries;
	uint64_t base_ns;
	uint32_t count;
	struct log_context context; /* as the entries say; tid 0: they do not yet */
};

#define LOG_WRITE_CONTEXT 4 /* the most entries of a context */

/* Begin with an empty chunk.  Context: the writer of the chunk; likewise the others.  No function
 * checks that the chunk has room. */
void log_write_start(struct log_write *write, struct spool_chunk *chunk, uint64_t base_ns);

/* Say who makes the next entries, or what they carry, where that changes. */
void log_write_thread(struct log_write *write, uint32_t tid, uint64_t start_ns);
void log_write_labels(struct log_write *write, uint32_t labels, const struct labels_trace *trace);
void log_write_context(struct log_write *write, const struct log_context *context);

/* Add a MARK or an END.  `mark` and `value` are those of a mark. */
void log_write_point(struct log_write *write, enum spool_log_kind kind, unsigned mark,
		     uint64_t time_ns, uint64_t value);

/* True if the next entries carry that already. */
static inline bool log_write_carries(const struct log_write *write, uint32_t labels,
				     const struct labels_trace *trace)
{
	const struct labels_trace *now = &write->context.trace;

	return labels == write->context.labels && trace->trace[0] == now->trace[0] &&
	       trace->trace[1] == now->trace[1] && trace->span == now->span;
}

static inline void log_write_put(struct log_write *write, uint64_t head, uint64_t body)
{
	struct spool_log_entry *entry = &write->entries[write->count++];

	atomic_store_explicit(&entry->head, head, memory_order_relaxed);
	atomic_store_explicit(&entry->body, body, memory_order_relaxed);
}

/* Returns the time of an entry: out of the range of the chunk, the nearest one in it. */
int64_t log_write_time(const struct log_write *write, uint64_t time_ns);

/* True if one entry has all of a sample, which counts something. */
static inline bool log_write_is_short(const struct log_sample *sample)
{
	return sample->samples <= SPOOL_LOG_SAMPLES_MAX && sample->events <= SPOOL_LOG_EVENTS_MAX &&
	       (sample->samples | sample->events);
}

/* Add such a sample.  Its time is one that the chunk reaches. */
static inline void log_write_short(struct log_write *write, const struct log_sample *sample)
{
	enum spool_log_kind kind = sample->member ? SPOOL_LOG_MEMBER : SPOOL_LOG_SAMPLE;

	log_write_put(write,
		      spool_log_head(kind, sample->counter, (unsigned)sample->samples,
				     (int64_t)(sample->time_ns - write->base_ns)),
		      sample->events << 32 | sample->node);
}

/* Add any sample, in two entries at most.  Its time is one that the chunk reaches. */
void log_write_sample(struct log_write *write, const struct log_sample *sample);

/* True if an entry of the chunk can have that time. */
static inline bool log_write_reaches(const struct log_write *write, uint64_t time_ns)
{
	uint64_t half = (uint64_t)SPOOL_LOG_TIME_MAX + 1;

	return time_ns - write->base_ns + half < 2 * half;
}

/* The entry that was read last. */
struct log_read {
	const struct spool_log_entry *entry;
	const struct spool_log_entry *end;
	uint64_t base_ns;
	enum spool_log_kind kind;   /* SAMPLE, MEMBER, MARK or END */
	struct log_sample sample;   /* SAMPLE, MEMBER; its time also of MARK and END */
	enum spool_mark mark;	    /* MARK */
	uint64_t value;		    /* MARK */
	struct log_context context; /* that holds for it */
};

/* Begin with a chunk.  The context holds until the chunk says otherwise.  Context: the writer of
 * the log; likewise the other. */
void log_read_start(struct log_read *read, const struct spool_chunk *chunk);

/* Read the next entry of the kinds above.  Returns false at the end. */
bool log_read_next(struct log_read *read);

#endif

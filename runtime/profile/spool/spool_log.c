/*
 * The entries of a chunk are decoded one by one.  What THREAD, LABELS and TRACE say holds within
 * their chunk.  An entry of an unknown kind is damage, and the others stay.
 */
#include "runtime/profile/spool/spool_log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/spool/spool_check.h"

#define NO_RUN	 UINT32_MAX
#define TIME_MAX ((uint64_t)1 << 62) /* later times are damage: sums of two times fit */

/* The state of decoding within a chunk. */
struct decoding {
	struct spool_check *check;
	const struct spool_check_list *list;
	struct spool_read_log *log;
	uint64_t at;	/* offset of the current entry */
	uint32_t run;	/* NO_RUN: no THREAD yet */
	uint32_t trace; /* like the next, as in struct spool_read_sample */
	uint32_t labels;
	struct {
		bool given; /* by a MORE; they are those of the next entry */
		uint64_t samples;
		uint64_t events;
	} more;
	struct {
		bool given; /* by a TRACE; the next entry has the rest */
		struct spool_read_trace bytes;
	} half;
};

/* Returns whether the last run is of that thread. */
static bool goes_on(const struct spool_read_log *log, uint32_t tid, uint64_t start_ns)
{
	uint32_t count = log->run_count;

	return count && log->runs[count - 1].tid == tid &&
	       log->runs[count - 1].start_ns == start_ns;
}

static int begin_run(struct decoding *to, uint32_t tid, uint64_t start_ns)
{
	struct spool_read_log *log = to->log;

	if (!goes_on(log, tid, start_ns)) {
		if (!grow(&log->runs, log->run_count, sizeof(*log->runs)))
			return -ENOMEM;
		log->runs[log->run_count++] = (struct spool_read_run){ tid, start_ns, 0 };
	}
	to->run = log->run_count - 1;
	return 0;
}

/* Makes sure that there is a run: each chunk begins with a THREAD. */
static int need_run(struct decoding *to)
{
	if (to->run != NO_RUN)
		return 0;
	spool_check_damage(to->check, to->at, "an entry of an unknown thread");
	return begin_run(to, 0, 0);
}

/* Returns whether the time of an entry is sound, with it in *time_ns. */
static bool find_time(const struct decoding *to, uint64_t head, uint64_t *time_ns)
{
	if (!__builtin_add_overflow(to->list->base_ns, spool_log_time(head), time_ns) &&
	    *time_ns < TIME_MAX)
		return true;
	spool_check_damage(to->check, to->at, "an entry at an impossible time");
	return false;
}

static int add_sample(struct decoding *to, uint64_t head, uint64_t body)
{
	struct spool_read_log *log = to->log;
	struct spool_read_sample sample = {
		.samples = to->more.given ? to->more.samples : spool_log_samples(head),
		.events = to->more.given ? to->more.events : body >> 32,
		.node = (uint32_t)body,
		.labels = to->labels,
		.trace = to->trace,
		.counter = spool_log_counter(head),
	};

	to->more.given = false;
	if (!find_time(to, head, &sample.time_ns))
		return 0;
	if (sample.counter >= to->check->header->counter_count) {
		spool_check_damage(to->check, to->at, "a sample of counter %u of %u",
				   sample.counter, to->check->header->counter_count);
		return 0;
	}
	if (need_run(to) || !grow(&log->samples, log->sample_count, sizeof(sample)))
		return -ENOMEM;
	sample.run = to->run;
	log->samples[log->sample_count++] = sample;
	return 0;
}

static int add_mark(struct decoding *to, uint64_t head, uint64_t body)
{
	struct spool_read_log *log = to->log;
	struct spool_read_mark mark = { .kind = spool_log_counter(head), .value = body };

	if (!find_time(to, head, &mark.time_ns))
		return 0;
	if (mark.kind < SPOOL_MARK_FORK || mark.kind > SPOOL_MARK_SLOWER) {
		spool_check_damage(to->check, to->at, "a mark of kind %u", mark.kind);
		return 0;
	}
	if (need_run(to) || !grow(&log->marks, log->mark_count, sizeof(mark)))
		return -ENOMEM;
	mark.run = to->run;
	log->marks[log->mark_count++] = mark;
	return 0;
}

static int end_run(struct decoding *to, uint64_t head)
{
	uint64_t time_ns;

	if (!find_time(to, head, &time_ns))
		return 0;
	if (need_run(to))
		return -ENOMEM;
	to->log->runs[to->run].end_ns = time_ns;
	return 0;
}

static void begin_trace(struct decoding *to, uint64_t head, uint64_t body)
{
	uint32_t span = (uint32_t)(head >> 32);

	to->half.given = true;
	memcpy(to->half.bytes.span, &span, sizeof(span));
	memcpy(to->half.bytes.trace, &body, sizeof(body));
}

static int add_trace(struct decoding *to, uint64_t head, uint64_t body)
{
	static const struct spool_read_trace none;
	struct spool_read_log *log = to->log;
	struct spool_read_trace *trace = &to->half.bytes;
	uint32_t span = (uint32_t)(head >> 32), count = log->trace_count;

	if (!to->half.given) {
		spool_check_damage(to->check, to->at, "the rest of a trace without its start");
		return 0;
	}
	to->half.given = false;
	memcpy(trace->span + sizeof(span), &span, sizeof(span));
	memcpy(trace->trace + sizeof(body), &body, sizeof(body));
	to->trace = 0;
	if (!memcmp(trace, &none, sizeof(none)))
		return 0;
	if (!count || memcmp(&log->traces[count - 1], trace, sizeof(*trace)) != 0) {
		if (!grow(&log->traces, count, sizeof(*trace)))
			return -ENOMEM;
		log->traces[log->trace_count++] = *trace;
	}
	to->trace = log->trace_count;
	return 0;
}

/* Notes an entry that has to precede another one, and does not. */
static void check_order(struct decoding *to, enum spool_log_kind kind)
{
	if (to->more.given && kind != SPOOL_LOG_SAMPLE && kind != SPOOL_LOG_MEMBER) {
		spool_check_damage(to->check, to->at, "a long value without its sample");
		to->more.given = false;
	}
	if (to->half.given && kind != SPOOL_LOG_TRACE_REST) {
		spool_check_damage(to->check, to->at, "a trace without its rest");
		to->half.given = false;
	}
}

static int decode(struct decoding *to, uint64_t head, uint64_t body)
{
	check_order(to, spool_log_kind(head));
	switch (spool_log_kind(head)) {
	case SPOOL_LOG_SAMPLE:
	case SPOOL_LOG_MEMBER:
		return add_sample(to, head, body);
	case SPOOL_LOG_MORE:
		to->more.given = true;
		to->more.samples = head >> 4;
		to->more.events = body;
		return 0;
	case SPOOL_LOG_THREAD:
		return begin_run(to, (uint32_t)(head >> 32), body);
	case SPOOL_LOG_END:
		return end_run(to, head);
	case SPOOL_LOG_LABELS:
		to->labels = body <= UINT32_MAX ? (uint32_t)body : UINT32_MAX;
		return 0;
	case SPOOL_LOG_TRACE:
		begin_trace(to, head, body);
		return 0;
	case SPOOL_LOG_TRACE_REST:
		return add_trace(to, head, body);
	case SPOOL_LOG_MARK:
		return add_mark(to, head, body);
	}
	spool_check_damage(to->check, to->at, "an entry of kind %u in a log",
			   (unsigned)spool_log_kind(head));
	return 0;
}

/* Decode the chunk that was read last.  Its last entry may lack the one that belongs to it, if the
 * writer is at work or was killed. */
static int decode_chunk(struct spool_check *check, const struct spool_check_list *list,
			struct spool_read_log *log)
{
	struct decoding to = { .check = check, .list = list, .log = log, .run = NO_RUN };
	int err = 0;

	for (uint32_t i = 0; !err && i < list->count; i++) {
		size_t inside = SPOOL_CHUNK_HEAD + i * sizeof(struct spool_log_entry);
		uint64_t words[2];

		memcpy(words, check->chunk + inside, sizeof(words));
		to.at = list->offset + inside;
		err = decode(&to, words[0], words[1]);
	}
	if (check->header->state != SPOOL_RUNNING || list->next)
		check_order(&to, 0);
	return err;
}

int spool_log_read(struct spool_check *check, uint64_t first, uint64_t linked,
		   struct spool_read_log *log, uint32_t *owner)
{
	struct spool_check_list list;
	int got;

	spool_check_list(check, &list, SPOOL_CHUNK_LOG, sizeof(struct spool_log_entry), first,
			 linked);
	*owner = list.owner;
	while ((got = spool_check_next(check, &list)) > 0)
		if (decode_chunk(check, &list, log))
			return -ENOMEM;
	return got;
}

void spool_log_resolve(struct spool_check *check, const struct spool_check_list *nodes, uint64_t at,
		       struct spool_read_log *log)
{
	size_t kept = 0;

	for (size_t i = 0; i < log->sample_count; i++) {
		struct spool_read_sample sample = log->samples[i];
		uint32_t node = spool_check_index(check, nodes, sample.node);

		if (node == SPOOL_CHECK_NO_ENTRY) {
			spool_check_damage(check, at, "a sample of node %u, which is not there",
					   sample.node);
			continue;
		}
		sample.node = node;
		log->samples[kept++] = sample;
	}
	log->sample_count = kept;
}

void spool_log_check_labels(struct spool_check *check, size_t labels, uint64_t at,
			    struct spool_read_log *log)
{
	for (size_t i = 0; i < log->sample_count; i++) {
		struct spool_read_sample *sample = &log->samples[i];

		if (sample->labels <= labels)
			continue;
		spool_check_damage(check, at, "label set %u of %zu", sample->labels, labels);
		sample->labels = 0;
	}
}

void spool_log_free(struct spool_read_log *log)
{
	free(log->samples);
	free(log->runs);
	free(log->marks);
	free(log->traces);
	memset(log, 0, sizeof(*log));
}

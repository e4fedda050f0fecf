/*
 * Every weight of a tree is the sum of entries of a log, so those of a window are made anew from
 * the entries in it.
 */
#include "runtime/profile/time/window.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/profile/spool/spool_read.h"

struct cut {
	const struct spool_header *header;
	uint64_t from_ns;
	uint64_t to_ns;
	struct window_cut_loss *loss;
};

static void see(uint64_t *last_ns, uint64_t ns)
{
	if (ns > *last_ns)
		*last_ns = ns;
}

static void see_log(uint64_t *last_ns, const struct spool_read_log *log)
{
	for (size_t i = 0; i < log->sample_count; i++)
		see(last_ns, log->samples[i].time_ns);
	for (size_t i = 0; i < log->mark_count; i++)
		see(last_ns, log->marks[i].time_ns);
	for (uint32_t i = 0; i < log->run_count; i++)
		see(last_ns, log->runs[i].end_ns);
}

uint64_t window_cut_last(const struct spool_read *spool)
{
	uint64_t last_ns = spool->header.start_ns;

	if (spool->header.end_ns)
		return spool->header.end_ns;
	see_log(&last_ns, &spool->marks);
	for (size_t i = 0; i < spool->thread_count; i++) {
		see_log(&last_ns, &spool->threads[i].log);
		see(&last_ns, spool->threads[i].slot.end_ns);
		see(&last_ns, spool->threads[i].slot.seen_ns);
	}
	return last_ns;
}

static bool holds(const struct cut *cut, uint64_t time_ns)
{
	return time_ns >= cut->from_ns && time_ns < cut->to_ns;
}

static bool is_span(const struct cut *cut, const struct spool_read_sample *sample)
{
	return cut->header->counter[sample->counter].flags & SPOOL_COUNTER_OFF_CPU &&
	       sample->events;
}

/* Returns the part of a span that lies after a moment. */
static uint64_t part_after(const struct spool_read_sample *span, uint64_t moment_ns)
{
	uint64_t after = span->time_ns > moment_ns ? span->time_ns - moment_ns : 0;

	return !moment_ns || after > span->events ? span->events : after;
}

/* Keep the part of a sample in the window.  Returns false if there is none. */
static bool take_part(const struct cut *cut, struct spool_read_sample *sample)
{
	if (!is_span(cut, sample))
		return holds(cut, sample->time_ns);
	if (!holds(cut, sample->time_ns))
		sample->samples = 0; /* it counts where it ends */
	sample->events = part_after(sample, cut->from_ns) - part_after(sample, cut->to_ns);
	if (sample->time_ns > cut->to_ns)
		sample->time_ns = cut->to_ns;
	return sample->samples || sample->events;
}

static void cut_marks(const struct cut *cut, struct spool_read_log *log)
{
	size_t kept = 0;

	for (size_t i = 0; i < log->mark_count; i++)
		if (holds(cut, log->marks[i].time_ns))
			log->marks[kept++] = log->marks[i];
	log->mark_count = kept;
}

/* Keep the counts that name a thread or refer to its log. */
static void cut_counts(struct spool_thread *slot)
{
	static const enum spool_count kept[] = { SPOOL_COUNT_THREADS_ENDED, SPOOL_COUNT_CPU_NS,
						 SPOOL_COUNT_LOG_DROPPED };
	uint64_t values[sizeof(kept) / sizeof(kept[0])];

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		values[i] = slot->count[kept[i]];
	memset((void *)slot->count, 0, sizeof(slot->count));
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		slot->count[kept[i]] = values[i];
}

static void cut_thread(const struct cut *cut, struct spool_read_thread *thread)
{
	uint32_t counters = cut->header->counter_count;
	struct spool_read_log *log = &thread->log;
	size_t kept = 0;

	if (thread->node_count && counters)
		memset(thread->weights, 0,
		       thread->node_count * counters * sizeof(*thread->weights));
	memset((void *)thread->slot.total, 0, sizeof(thread->slot.total));
	cut_counts(&thread->slot);
	cut_marks(cut, log);
	for (size_t i = 0; i < log->sample_count; i++) {
		struct spool_read_sample sample = log->samples[i];
		struct spool_read_weight *weight;

		if (!take_part(cut, &sample))
			continue;
		log->samples[kept++] = sample;
		weight = &thread->weights[(size_t)sample.node * counters + sample.counter];
		weight->samples += sample.samples;
		weight->events += sample.events;
		thread->slot.count[SPOOL_COUNT_SAMPLES] += sample.samples;
		if (sample.samples < 2)
			continue;
		thread->slot.count[SPOOL_COUNT_LOG_THINNED] += sample.samples - 1;
		cut->loss->squares += (double)sample.samples * (double)sample.samples;
	}
	log->sample_count = kept;
}

void window_cut(struct spool_read *spool, uint64_t from_ns, uint64_t to_ns,
		struct window_cut_loss *loss)
{
	const struct cut cut = { &spool->header, from_ns, to_ns, loss };

	loss->dropped += spool->header.count[SPOOL_COUNT_LOG_DROPPED];
	memset((void *)spool->header.count, 0, sizeof(spool->header.count));
	cut_marks(&cut, &spool->marks);
	for (size_t i = 0; i < spool->thread_count; i++) {
		cut_thread(&cut, &spool->threads[i]);
		loss->dropped += spool->threads[i].slot.count[SPOOL_COUNT_LOG_DROPPED];
		loss->joined += spool->threads[i].slot.count[SPOOL_COUNT_LOG_THINNED];
	}
}

double window_cut_deviation(const struct window_cut_loss *loss)
{
	return sqrt(loss->squares) / 2;
}

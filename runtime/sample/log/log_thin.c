/*
 * Of each `stride` samples of the same leader, one remains, with the samples and the events of all,
 * and so do the members of their groups.  Each sample's chance to remain is proportional to its
 * events.  Two passes over the chunks: one draws, the other writes.  If what remains does not fit
 * because of what stands between the samples, the stride is doubled.
 */
#include "runtime/sample/log/log.h"

#include <stddef.h>
#include <stdint.h>

#include "runtime/sample/log/log_budget.h"
#include "runtime/sample/log/log_write.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/sys/poison.h"

#define SAMPLES_MAX (2 * SPOOL_LOG_ENTRIES)
#define ROOM	    (SPOOL_LOG_ENTRIES - 1) /* the last entry is for the END of the thread */

/* The entries of one or two chunks. */
struct pair_read {
	struct log_read read;
	const struct spool_chunk *next;
	unsigned sample; /* number of the last sample or of that of the last member, from 1 */
};

/* The samples of one leader that become one. */
struct drawing {
	uint64_t samples;
	uint64_t events;
	unsigned seen;
	unsigned kept; /* number of the sample that remains */
};

struct sum {
	uint64_t samples;
	uint64_t events;
};

/* The samples of one leader that become one, while they are written. */
struct joined {
	unsigned seen;
	bool written; /* the one that remains */
};

struct thinning {
	struct log *log;
	const struct log_pair *pair;
	unsigned stride;
	unsigned samples; /* in the chunks */
	unsigned remaining;
	uint8_t kept[SAMPLES_MAX / 8 + 1];
	struct log_write *write;
	uint32_t room; /* entries that may be written */
	unsigned marks;
	bool before; /* the last sample is before the one that it is joined into */
	struct sum sum[SPOOL_COUNTERS_MAX];	  /* by counter: what is joined */
	struct joined joined[SPOOL_COUNTERS_MAX]; /* by leader */
};

static void pair_start(struct pair_read *read, const struct log_pair *pair)
{
	read->next = pair->old[1];
	read->sample = 0;
	log_read_start(&read->read, pair->old[0]);
}

static bool pair_next(struct pair_read *read)
{
	while (!log_read_next(&read->read)) {
		if (!read->next)
			return false;
		log_read_start(&read->read, read->next);
		read->next = NULL;
	}
	read->sample += read->read.kind == SPOOL_LOG_SAMPLE;
	return true;
}

/* Returns a number below `most`, which is not 0 (xorshift64*, Vigna). */
static uint64_t draw(uint64_t *state, uint64_t most)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint64_t)((unsigned __int128)(*state * 0x2545f4914f6cdd1dULL) * most >> 64);
}

/* True if a sample takes the place of those before it.  Where there are no events, samples count.
 */
static bool takes_place(struct log *log, const struct drawing *before,
			const struct log_sample *sample)
{
	uint64_t all = before->events + sample->events, own = sample->events;

	if (!all) {
		all = before->samples + sample->samples;
		own = sample->samples;
	}
	return !before->seen || (own && draw(&log->random, all) < own);
}

static void keep(struct thinning *thinning, struct drawing *drawing)
{
	if (!drawing->seen)
		return;
	thinning->kept[drawing->kept / 8] |= (uint8_t)(1U << drawing->kept % 8);
	thinning->remaining++;
	*drawing = (struct drawing){ 0 };
}

static bool is_kept(const struct thinning *thinning, unsigned sample)
{
	return thinning->kept[sample / 8] >> sample % 8 & 1;
}

/* This and write_all() are never inlined: a handler's stack is small, and they use it in turn. */
static __attribute__((noinline)) void draw_all(struct thinning *thinning)
{
	struct drawing drawings[SPOOL_COUNTERS_MAX] = { 0 };
	struct pair_read pair;

	for (unsigned i = 0; i < sizeof(thinning->kept); i++)
		thinning->kept[i] = 0;
	thinning->remaining = 0;
	for (pair_start(&pair, thinning->pair); pair_next(&pair);) {
		const struct log_sample *sample = &pair.read.sample;
		struct drawing *drawing;

		if (pair.read.kind != SPOOL_LOG_SAMPLE)
			continue;
		drawing = &drawings[sample->counter];
		if (takes_place(thinning->log, drawing, sample))
			drawing->kept = pair.sample;
		drawing->samples += sample->samples;
		drawing->events += sample->events;
		if (++drawing->seen == thinning->stride)
			keep(thinning, drawing);
	}
	for (unsigned i = 0; i < SPOOL_COUNTERS_MAX; i++)
		keep(thinning, &drawings[i]);
	thinning->samples = pair.sample;
}

static void add_to_sum(struct thinning *thinning, const struct log_sample *sample)
{
	thinning->sum[sample->counter].samples += sample->samples;
	thinning->sum[sample->counter].events += sample->events;
}

/* Adds the rest of the samples that are joined with the one that remains, which was read last, and
 * the members of all. */
static void add_rest(struct thinning *thinning, const struct pair_read *here)
{
	unsigned leader = here->read.sample.counter, seen = thinning->joined[leader].seen;
	struct pair_read ahead = *here;
	bool ours = true;

	while (pair_next(&ahead)) {
		const struct log_sample *sample = &ahead.read.sample;

		if (ahead.read.kind == SPOOL_LOG_SAMPLE) {
			ours = sample->counter == leader;
			if (ours && ++seen > thinning->stride)
				return;
		} else if (ahead.read.kind != SPOOL_LOG_MEMBER) {
			continue;
		}
		if (ours)
			add_to_sum(thinning, sample);
	}
}

static bool write_sum(struct thinning *thinning, unsigned counter, const struct log_sample *kept)
{
	struct sum *sum = &thinning->sum[counter];
	struct log_sample sample = {
		.time_ns = thinning->write->base_ns +
			   (uint64_t)log_write_time(thinning->write, kept->time_ns),
		.samples = sum->samples,
		.events = sum->events,
		.node = kept->node,
		.counter = counter,
		.member = counter != kept->counter,
	};

	if (!(sum->samples | sum->events))
		return true;
	if (thinning->write->count + 2 > thinning->room)
		return false;
	log_write_sample(thinning->write, &sample);
	*sum = (struct sum){ 0 };
	return true;
}

static bool write_group(struct thinning *thinning, const struct pair_read *here)
{
	const struct spool_header *header = thinning->log->spool->header;
	struct log_sample kept = here->read.sample;

	if (thinning->write->count + LOG_WRITE_CONTEXT + 2 > thinning->room)
		return false;
	add_rest(thinning, here);
	log_write_context(thinning->write, &here->read.context);
	if (!write_sum(thinning, kept.counter, &kept))
		return false;
	for (unsigned i = 0; i < header->counter_count; i++)
		if (i != kept.counter && header->counter[i].leader == kept.counter &&
		    !write_sum(thinning, i, &kept))
			return false;
	return true;
}

/* The end of a thread of which nothing remains is left out, and so are marks, the more the less
 * room there is. */
static bool write_other(struct thinning *thinning, const struct log_read *read)
{
	const struct log_context *context = &thinning->write->context;
	bool known =
		context->tid == read->context.tid && context->start_ns == read->context.start_ns;
	bool mark = read->kind == SPOOL_LOG_MARK;

	if (mark && thinning->marks++ % (thinning->stride / 2 + 1))
		return true;
	if (!mark && !known && thinning->write->count)
		return true;
	if (thinning->write->count + LOG_WRITE_CONTEXT + 1 > thinning->room)
		return false;
	log_write_context(thinning->write, &read->context);
	log_write_point(thinning->write, read->kind, mark ? read->mark : 0, read->sample.time_ns,
			mark ? read->value : 0);
	return true;
}

/* Samples before the one that remains are added to its sum here, those behind it with it. */
static bool write_sample(struct thinning *thinning, const struct pair_read *here)
{
	const struct log_sample *sample = &here->read.sample;
	struct joined *joined = &thinning->joined[sample->counter];

	if (joined->seen == thinning->stride)
		*joined = (struct joined){ 0 };
	joined->seen++;
	thinning->before = !joined->written;
	if (joined->written)
		return true;
	add_to_sum(thinning, sample);
	if (!is_kept(thinning, here->sample))
		return true;
	thinning->before = false;
	joined->written = true;
	return write_group(thinning, here);
}

static __attribute__((noinline)) bool write_all(struct thinning *thinning)
{
	struct pair_read pair;
	bool fits = true;

	for (pair_start(&pair, thinning->pair); fits && pair_next(&pair);) {
		if (pair.read.kind == SPOOL_LOG_SAMPLE)
			fits = write_sample(thinning, &pair);
		else if (pair.read.kind != SPOOL_LOG_MEMBER)
			fits = write_other(thinning, &pair.read);
		else if (thinning->before)
			add_to_sum(thinning, &pair.read.sample);
	}
	return fits;
}

static uint32_t count_of(const struct spool_chunk *chunk)
{
	return chunk ? atomic_load_explicit(&chunk->count, memory_order_relaxed) : 0;
}

/* Returns the base of the new chunk.  If a chunk cannot have the times of both, the older ones are
 * moved to the earliest that it can have. */
static uint64_t base_of(const struct log_pair *pair)
{
	uint64_t base_ns = pair->old[0]->base_ns;

	if (pair->old[1] && pair->old[1]->base_ns - base_ns > (uint64_t)SPOOL_LOG_TIME_MAX / 2)
		base_ns = pair->old[1]->base_ns;
	return base_ns;
}

/* Fills the chunk.  Returns false if not even one sample of each leader fits. */
static bool join(struct thinning *thinning, struct spool_chunk *chunk)
{
	const struct log_pair *pair = thinning->pair;
	uint32_t before = count_of(pair->old[0]) + count_of(pair->old[1]);

	thinning->room = pair->old[1] ? ROOM : ROOM / 2;
	for (unsigned stride = before <= thinning->room ? 1 : 2; stride <= 2 * SAMPLES_MAX;
	     stride *= 2) {
		thinning->stride = stride;
		draw_all(thinning);
		log_write_start(thinning->write, chunk, base_of(pair));
		if (write_all(thinning))
			return true;
		for (unsigned i = 0; i < SPOOL_COUNTERS_MAX; i++)
			thinning->sum[i] = (struct sum){ 0 };
		for (unsigned i = 0; i < SPOOL_COUNTERS_MAX; i++)
			thinning->joined[i] = (struct joined){ 0 };
		thinning->marks = 0;
	}
	return false;
}

/* A chunk's number says how often its samples were joined. */
static uint64_t number_of(const struct thinning *thinning)
{
	const struct log_pair *pair = thinning->pair;
	uint64_t number = pair->old[0]->number;

	if (pair->old[1] && pair->old[1]->number > number)
		number = pair->old[1]->number;
	return number + (thinning->stride > 1);
}

bool log_thin(struct log *log)
{
	struct log_pair pair;
	struct log_write write;
	struct thinning thinning = { .log = log, .pair = &pair, .write = &write };
	struct spool_chunk *chunk;

	if (!log_list_choose(log, &pair))
		return false;
	chunk = log_budget_take_spare(!log->labels);
	if (!chunk)
		return false;
	if (!join(&thinning, chunk)) {
		log_budget_give(chunk, !log->labels);
		return false;
	}
	chunk->number = number_of(&thinning);
	atomic_store_explicit(&chunk->count, write.count, memory_order_relaxed);
	log_list_replace(log, &pair, chunk);
	if (log->chunk == chunk)
		log->write = write;
	spool_alloc_add(&log->slot->count[SPOOL_COUNT_LOG_THINNED],
			thinning.samples - thinning.remaining);
	return true;
}

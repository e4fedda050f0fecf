/*
 * Chunks are taken out by one word, and the change is counted before they have another use: a
 * reader that finds the same count afterwards has read no chunk of another list.
 */
#include "runtime/sample/log/log.h"

#include <stddef.h>

#include "runtime/sample/log/log_budget.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/sys/poison.h"

static struct spool_chunk *at(const struct log *log, uint64_t offset)
{
	return offset ? spool_alloc_at(log->spool, offset) : NULL;
}

static struct spool_chunk *numbered(const struct log *log, uint32_t number)
{
	return at(log, (uint64_t)number * SPOOL_CHUNK_BYTES);
}

static uint32_t number_of(const struct log *log, const struct spool_chunk *chunk)
{
	return (uint32_t)(spool_alloc_offset(log->spool, chunk) / SPOOL_CHUNK_BYTES);
}

static uint64_t next_of(const struct spool_chunk *chunk)
{
	return atomic_load_explicit(&chunk->next, memory_order_relaxed);
}

static void link_to(_Atomic uint64_t *link, uint64_t offset)
{
	atomic_store_explicit(link, offset, memory_order_release); /* pairs with the reader's
								      acquire */
}

static void count_chunks(struct log *log, int more)
{
	bool was_empty = !log->chunks;

	log->chunks += (uint32_t)more;
	if (!log->chunks != was_empty)
		log_budget_count_logs(more); /* one chunk more, or one less */
}

static void level_add(struct log *log, unsigned which, const struct spool_chunk *chunk, bool last)
{
	struct log_level *level = &log->level[which];
	uint32_t number = number_of(log, chunk);

	if (last || !level->chunks)
		level->last = number;
	if (!last || !level->chunks)
		level->first = number;
	level->chunks++;
	count_chunks(log, 1);
}

static void level_drop(struct log *log, unsigned which, const struct spool_chunk *chunk)
{
	struct log_level *level = &log->level[which];

	level->first = (uint32_t)(next_of(chunk) / SPOOL_CHUNK_BYTES);
	level->chunks--;
	count_chunks(log, -1);
}

/* Counts that chunks were taken out.  Never inlined: gcc's -Wtsan looks into a system header's
 * macros only where it inlines them. */
__attribute__((noinline)) static void count_change(struct log *log)
{
	spool_alloc_add(&log->slot->log_changes, 1);
	/* pairs with the reader's: the count before what becomes of the chunks */
	atomic_thread_fence(memory_order_release);
}

/* Readers may still be in these chunks. */
static void give(struct log *log, struct spool_chunk *const *chunks, unsigned count)
{
	count_change(log);
	for (unsigned i = 0; i < count; i++)
		log_budget_give(chunks[i], !log->labels);
}

void log_list_append(struct log *log, struct spool_chunk *chunk)
{
	link_to(log->chunk ? &log->chunk->next : &log->slot->first_log,
		spool_alloc_offset(log->spool, chunk));
	log->chunk = chunk;
	level_add(log, 0, chunk, true);
}

static unsigned lowest(const struct log *log, unsigned from, uint32_t chunks)
{
	while (from < LOG_LEVELS && log->level[from].chunks < chunks)
		from++;
	return from;
}

/* Returns the level of the oldest chunk that is joined next.  If no level has two, that is the
 * second one of those that were joined before, else the first, else the newest. */
static unsigned level_to_join(const struct log *log)
{
	bool too_new = 2 * log->level[0].chunks > log->chunks; /* more than half is exact */
	unsigned joined = lowest(log, 1, 1), level = lowest(log, too_new ? 0 : 1, 2);

	if (level == LOG_LEVELS)
		level = lowest(log, 0, 2);
	if (level == LOG_LEVELS && joined < LOG_LEVELS)
		level = lowest(log, joined + 1, 1);
	if (level == LOG_LEVELS)
		level = joined < LOG_LEVELS ? joined : 0;
	return level;
}

bool log_list_choose(const struct log *log, struct log_pair *pair)
{
	unsigned level;

	if (!log->chunks)
		return false;
	level = level_to_join(log);
	pair->level[0] = pair->level[1] = level;
	pair->old[0] = numbered(log, log->level[level].first);
	pair->old[1] = at(log, next_of(pair->old[0]));
	if (log->level[level].chunks == 1)
		while (pair->old[1] && !log->level[--pair->level[1]].chunks)
			;
	return true;
}

static _Atomic uint64_t *link_of(struct log *log, unsigned level)
{
	unsigned above = lowest(log, level + 1, 1);

	if (above == LOG_LEVELS)
		return &log->slot->first_log;
	return &numbered(log, log->level[above].last)->next;
}

void log_list_replace(struct log *log, const struct log_pair *pair, struct spool_chunk *chunk)
{
	unsigned level = pair->level[0], count = pair->old[1] ? 2 : 1;
	uint64_t next = next_of(pair->old[count - 1]);

	atomic_store_explicit(&chunk->next, next, memory_order_relaxed);
	link_to(link_of(log, level), spool_alloc_offset(log->spool, chunk));
	for (unsigned i = 0; i < count; i++)
		level_drop(log, pair->level[i], pair->old[i]);
	if (level == LOG_LEVELS - 1)
		level_add(log, level, chunk, false);
	else
		level_add(log, level + 1, chunk, true);
	if (!next)
		log->chunk = chunk;
	give(log, pair->old, count);
}

struct spool_chunk *log_list_first(const struct log *log)
{
	return at(log, atomic_load_explicit(&log->slot->first_log, memory_order_relaxed));
}

void log_list_drop_first(struct log *log)
{
	struct spool_chunk *chunk = log_list_first(log);
	unsigned level = LOG_LEVELS - 1;

	while (!log->level[level].chunks)
		level--;
	link_to(&log->slot->first_log, next_of(chunk));
	level_drop(log, level, chunk);
	if (!log->chunks)
		log->chunk = NULL;
	give(log, &chunk, 1);
}

/* Reads the entries of a log in memory, for tests. */

#include "tests/support/log_walk.h"

#include <stdlib.h>
#include <string.h>

static void add(struct log_walk *walk, const struct log_found *entry)
{
	if (!(walk->count & (walk->count - 1)))
		walk->found = realloc(walk->found,
				      (walk->count ? 2 * walk->count : 1) * sizeof(*walk->found));
	walk->found[walk->count++] = *entry;
}

/* True if the entry only says what holds for those behind it. */
static bool is_context(struct log_found *now, uint64_t head, uint64_t body)
{
	switch ((unsigned)(head & 15)) {
	case SPOOL_LOG_THREAD:
		now->tid = (uint32_t)(head >> 32);
		now->start_ns = body;
		return true;
	case SPOOL_LOG_LABELS:
		now->labels = body;
		return true;
	case SPOOL_LOG_TRACE:
		now->trace[0] = body;
		now->span = head >> 32;
		return true;
	case SPOOL_LOG_TRACE_REST:
		now->trace[1] = body;
		now->span |= head >> 32 << 32;
		return true;
	default:
		return false;
	}
}

static void walk_entry(struct log_walk *walk, struct log_found *now, uint64_t base_ns,
		       const uint64_t more[2], const uint64_t word[2])
{
	now->kind = (enum spool_log_kind)(word[0] & 15);
	now->counter = word[0] >> 4 & 15;
	now->time_ns = base_ns + (uint64_t)((int64_t)word[0] >> 16);
	now->samples = now->events = now->node = 0;
	if (now->kind == SPOOL_LOG_SAMPLE || now->kind == SPOOL_LOG_MEMBER) {
		now->samples = (word[0] >> 8 & 255) + more[0];
		now->events = (word[1] >> 32) + more[1];
		now->node = (uint32_t)word[1];
		if (!now->node)
			walk->wrong = "a sample without a node";
		if (!now->samples && !now->events)
			walk->wrong = "a sample without a weight";
	} else if (now->kind == SPOOL_LOG_MARK) {
		now->events = word[1];
	} else if (now->kind != SPOOL_LOG_END) {
		walk->wrong = "an entry of an unknown kind";
	}
	if (!now->tid)
		walk->wrong = "an entry of no thread";
	add(walk, now);
}

static void walk_chunk(struct log_walk *walk, const struct spool_chunk *chunk)
{
	const struct spool_log_entry *entry =
		(const void *)((const char *)chunk + SPOOL_CHUNK_HEAD);
	uint32_t count = atomic_load(&chunk->count);
	struct log_found now = { .chunk = walk->chunks, .joined = chunk->number };
	uint64_t more[2] = { 0 };

	for (; count--; entry++) {
		uint64_t word[2] = { atomic_load(&entry->head), atomic_load(&entry->body) };

		if ((word[0] & 15) == SPOOL_LOG_MORE) {
			more[0] = word[0] >> 4;
			more[1] = word[1];
			continue;
		}
		if (!is_context(&now, word[0], word[1]))
			walk_entry(walk, &now, chunk->base_ns, more, word);
		else if (more[0] || more[1])
			walk->wrong = "a long value before no sample";
		more[0] = more[1] = 0;
	}
	if (more[0] || more[1])
		walk->wrong = "a long value at the end";
}

void log_walk(struct log_walk *walk, const void *base, uint64_t first)
{
	while (first) {
		const struct spool_chunk *chunk = (const void *)((const char *)base + first);

		if (atomic_load(&chunk->kind) != SPOOL_CHUNK_LOG ||
		    atomic_load(&chunk->count) > SPOOL_LOG_ENTRIES) {
			walk->wrong = "a chunk of another kind, or too long";
			return;
		}
		walk_chunk(walk, chunk);
		walk->chunks++;
		first = atomic_load(&chunk->next);
	}
}

static uint64_t sum(const struct log_walk *walk, unsigned counter, uint32_t node, bool events)
{
	uint64_t all = 0;

	for (size_t i = 0; i < walk->count; i++) {
		const struct log_found *found = &walk->found[i];

		if ((found->kind == SPOOL_LOG_SAMPLE || found->kind == SPOOL_LOG_MEMBER) &&
		    found->counter == counter && (!node || found->node == node))
			all += events ? found->events : found->samples;
	}
	return all;
}

uint64_t log_walk_samples(const struct log_walk *walk, unsigned counter, uint32_t node)
{
	return sum(walk, counter, node, false);
}

uint64_t log_walk_events(const struct log_walk *walk, unsigned counter, uint32_t node)
{
	return sum(walk, counter, node, true);
}

/*
 * A chunk is taken out by one word, and the change is counted before the chunk has another use:
 * a reader that finds the same count afterwards has read no chunk of another list.
 */
#include "runtime/sample/spool/log_list.h"

#include <stddef.h>

#include "runtime/sample/spool/log_budget.h"
#include "runtime/sample/spool/log_state.h"
#include "runtime/sample/spool/spool_alloc.h"
#include "runtime/sample/sys/poison.h"

void log_list_append(struct log *log, struct spool_chunk *chunk)
{
	_Atomic uint64_t *link = log->chunk ? &log->chunk->next : &log->slot->first_log;

	atomic_store_explicit(link, spool_alloc_offset(log->spool, chunk),
			      memory_order_release); /* pairs with the reader's acquire */
	log->chunk = chunk;
}

struct spool_chunk *log_list_first(const struct log *log)
{
	uint64_t first = atomic_load_explicit(&log->slot->first_log, memory_order_relaxed);

	return first ? spool_alloc_at(log->spool, first) : NULL;
}

void log_list_drop_first(struct log *log)
{
	struct spool_chunk *chunk = log_list_first(log);
	uint64_t next = atomic_load_explicit(&chunk->next, memory_order_relaxed);

	atomic_store_explicit(&log->slot->first_log, next, memory_order_release);
	spool_alloc_add(&log->slot->log_changes, 1);
	atomic_thread_fence(memory_order_release);
	if (!next)
		log->chunk = NULL;
	log_budget_give(chunk);
}

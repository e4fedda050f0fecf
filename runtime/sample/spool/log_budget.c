/*
 * Any number of threads may take chunks at once: each counts its chunk before it takes it.
 */
#include "runtime/sample/spool/log_budget.h"

#include <stdatomic.h>

#include "runtime/sample/spool/spool_alloc.h"
#include "runtime/sample/sys/together.h"
#include "runtime/sample/sys/poison.h"

static struct spool_alloc *spool TOGETHER;
static _Atomic uint64_t used TOGETHER; /* chunks in the logs */
static uint64_t limit TOGETHER;	       /* of `used` */

void log_budget_start(struct spool_alloc *new_spool)
{
	spool = new_spool;
	limit = spool->header->timeline_bytes / SPOOL_CHUNK_BYTES;
	atomic_store_explicit(&used, 0, memory_order_relaxed);
}

struct spool_chunk *log_budget_take(void)
{
	struct spool_chunk *chunk = NULL;

	if (atomic_fetch_add_explicit(&used, 1, memory_order_relaxed) < limit)
		chunk = spool_alloc_take(spool, SPOOL_CHUNK_LOG, false);
	if (!chunk)
		atomic_fetch_sub_explicit(&used, 1, memory_order_relaxed);
	return chunk;
}

void log_budget_give(struct spool_chunk *chunk)
{
	atomic_fetch_sub_explicit(&used, 1, memory_order_relaxed);
	spool_alloc_give(spool, chunk);
}

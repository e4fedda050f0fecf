/*
 * Any number of threads may take chunks at once: each counts its chunk before it takes it.  One
 * chunk is kept in reserve, so that chunks can be joined in a spool that is full.
 */
#include "runtime/sample/log/log_budget.h"

#include <stdatomic.h>
#include <stddef.h>

#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/sys/together.h"
#include "runtime/sample/sys/poison.h"

#define RETRY_AFTER 1024 /* refused chunks between two attempts at the last resort */

static struct spool_alloc *spool TOGETHER;
static _Atomic uint64_t most TOGETHER;	  /* of `used`, in chunks; the reserve is not in it */
static _Atomic uint64_t used TOGETHER;	  /* chunks in the logs */
static _Atomic uint64_t ended TOGETHER;	  /* of these, in logs of ended threads */
static _Atomic uint64_t logs TOGETHER;	  /* that have a chunk */
static _Atomic uint64_t reserve TOGETHER; /* offset of the chunk; 0: none */
static _Atomic uint64_t refused TOGETHER; /* chunks to join others in */

static void set_limit(uint64_t bytes)
{
	uint64_t chunks = bytes / SPOOL_CHUNK_BYTES;

	atomic_store_explicit(&most, chunks > 1 ? chunks - 1 : chunks, memory_order_relaxed);
}

void log_budget_start(struct spool_alloc *new_spool)
{
	spool = new_spool;
	set_limit(new_spool->header->timeline_bytes);
	atomic_store_explicit(&used, 0, memory_order_relaxed);
	atomic_store_explicit(&ended, 0, memory_order_relaxed);
	atomic_store_explicit(&logs, 0, memory_order_relaxed);
	atomic_store_explicit(&reserve, 0, memory_order_relaxed);
	atomic_store_explicit(&refused, 0, memory_order_relaxed);
}

static uint64_t load(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static uint64_t limit(void)
{
	return load(&most);
}

static void count(int chunks, bool of_ended)
{
	atomic_fetch_add_explicit(&used, (uint64_t)chunks, memory_order_relaxed);
	if (of_ended)
		atomic_fetch_add_explicit(&ended, (uint64_t)chunks, memory_order_relaxed);
}

void log_budget_shrink(void)
{
	uint64_t bytes = spool->header->timeline_bytes, before = spool->header->size_bytes;
	uint64_t now = load(&spool->size_bytes), own = (load(&used) + 1) * SPOOL_CHUNK_BYTES;

	bytes = (uint64_t)((unsigned __int128)bytes * now / before);
	bytes = bytes > own ? bytes : own;
	if (bytes < limit() * SPOOL_CHUNK_BYTES)
		set_limit(bytes);
}

static uint64_t share(void)
{
	uint64_t all = load(&logs);
	uint64_t each = all ? limit() / all : limit();

	return each ? each : 1;
}

/* Returns by how much a log that has `own` may exceed the limit: a quarter of it, less what it has
 * of its share.  So the first to come leave something to those that come later. */
static uint64_t extra(uint64_t own)
{
	uint64_t fair = share();

	return own < fair ? (limit() + 3) / 4 * (fair - own) / fair : 0;
}

static bool put_by(struct spool_chunk *chunk)
{
	uint64_t none = 0;

	return atomic_compare_exchange_strong_explicit(&reserve, &none,
						       spool_alloc_offset(spool, chunk),
						       memory_order_release, memory_order_relaxed);
}

static void fill_reserve(void)
{
	struct spool_chunk *chunk;

	if (load(&reserve) || load(&used) <= limit() / 2)
		return;
	chunk = spool_alloc_take(spool, SPOOL_CHUNK_FREE, false);
	if (chunk && !put_by(chunk))
		spool_alloc_give(spool, chunk);
}

struct spool_chunk *log_budget_take(uint32_t own, bool of_ended)
{
	uint64_t most_all = limit() + extra(of_ended ? 0 : own);
	uint64_t most_ended = own ? (limit() + 1) / 2 : limit() - limit() / 4;
	struct spool_chunk *chunk = NULL;

	fill_reserve();
	count(1, of_ended);
	if (load(&used) <= most_all && (!of_ended || load(&ended) <= most_ended))
		chunk = spool_alloc_take(spool, SPOOL_CHUNK_LOG, false);
	if (!chunk)
		count(-1, of_ended);
	return chunk;
}

/* Takes a chunk to join others in.  Where stacks took all room before there was a reserve, it is
 * one of the last resort, and becomes the reserve afterwards.  A file system that is full is not
 * asked with each sample. */
static struct spool_chunk *take_beside(void)
{
	struct spool_chunk *chunk = spool_alloc_take(spool, SPOOL_CHUNK_LOG, false);

	if (!chunk && !(atomic_fetch_add_explicit(&refused, 1, memory_order_relaxed) % RETRY_AFTER))
		chunk = spool_alloc_take(spool, SPOOL_CHUNK_LOG, true);
	return chunk;
}

struct spool_chunk *log_budget_take_spare(bool of_ended)
{
	uint64_t offset = atomic_exchange_explicit(&reserve, 0, memory_order_acquire);
	struct spool_chunk *chunk;

	if (offset) {
		chunk = spool_alloc_at(spool, offset);
		atomic_store_explicit(&chunk->count, 0, memory_order_relaxed);
		atomic_store_explicit(&chunk->next, 0, memory_order_relaxed);
		atomic_store_explicit(&chunk->kind, SPOOL_CHUNK_LOG, memory_order_release);
	} else {
		chunk = take_beside();
	}
	if (chunk)
		count(1, of_ended);
	return chunk;
}

void log_budget_give(struct spool_chunk *chunk, bool of_ended)
{
	count(-1, of_ended);
	atomic_store_explicit(&chunk->kind, SPOOL_CHUNK_FREE, memory_order_relaxed);
	if (!put_by(chunk))
		spool_alloc_give(spool, chunk);
}

bool log_budget_is_over(uint32_t own)
{
	return load(&used) > limit() && own > share();
}

bool log_budget_ended_is_full(void)
{
	return load(&ended) >= (limit() + 1) / (load(&used) > limit() ? 8 : 2);
}

void log_budget_count_logs(int more)
{
	atomic_fetch_add_explicit(&logs, (uint64_t)more, memory_order_relaxed);
}

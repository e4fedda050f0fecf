/* One writer at a time.  Nobody waits for it: a handler must not, and a mark is not worth it. */
#include "runtime/sample/log/log.h"

#include <stddef.h>

#include "runtime/sample/log/log_budget.h"
#include "runtime/sample/log/log_write.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/sys/lock.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/together.h"
#include "runtime/sample/sys/poison.h"

#define CHUNKS_MAX 16 /* some thousand marks */

static struct {
	struct spool_alloc *spool; /* NULL: no timeline */
	struct spool_chunk *chunk; /* being filled; NULL: none yet */
	struct log_write write;
	unsigned chunks;
	_Atomic uint32_t lock;
} marks TOGETHER;

void process_marks_start(struct spool_alloc *spool)
{
	marks.spool = spool->header->timeline_bytes ? spool : NULL;
	marks.chunk = NULL;
	marks.chunks = 0;
	atomic_store_explicit(&marks.lock, LOCK_FREE, memory_order_relaxed); /* as a fork left it */
}

void process_marks_stop(void)
{
	marks.spool = NULL;
}

static bool has_room(uint64_t time_ns)
{
	return marks.chunk && marks.write.count + LOG_WRITE_CONTEXT < SPOOL_LOG_ENTRIES &&
	       log_write_reaches(&marks.write, time_ns);
}

static bool add_chunk(uint64_t time_ns)
{
	_Atomic uint64_t *link =
		marks.chunk ? &marks.chunk->next : &marks.spool->header->first_mark;
	struct spool_chunk *chunk = NULL;

	if (marks.chunks < CHUNKS_MAX)
		chunk = log_budget_take(marks.chunks, false);
	if (!chunk)
		return false;
	marks.chunks++;
	marks.chunk = chunk;
	log_write_start(&marks.write, chunk, time_ns);
	atomic_store_explicit(link, spool_alloc_offset(marks.spool, chunk), memory_order_release);
	return true;
}

static void add(enum spool_mark mark, uint64_t value)
{
	uint64_t time_ns = machine_time_now_ns();

	if (!has_room(time_ns) && !add_chunk(time_ns))
		return;
	log_write_thread(&marks.write, (uint32_t)sys_gettid(), 0);
	log_write_point(&marks.write, SPOOL_LOG_MARK, mark, time_ns, value);
	atomic_store_explicit(&marks.chunk->count, marks.write.count, memory_order_release);
}

void process_marks_add(enum spool_mark mark, uint64_t value)
{
	if (!marks.spool || !lock_try(&marks.lock))
		return;
	add(mark, value);
	lock_give(&marks.lock);
}

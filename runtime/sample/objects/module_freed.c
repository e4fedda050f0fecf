/*
 * Handlers read this without a lock.  A range only grows, and its generation only rises.  When the
 * table is full, one more range covers all others.
 */
#include "runtime/sample/objects/module_freed.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/spool/format.h"

struct freed {
	_Atomic uint64_t start, end;
	_Atomic uint32_t generation;
};

static struct freed table[MODULE_FREED_MAX]; /* W: holder of the modules' lock.  R: any handler */
static struct freed rest;		     /* the same.  start 0: none */
static _Atomic uint32_t table_count;	     /* release: publishes table[] */

void module_freed_start(void)
{
	atomic_store_explicit(&table_count, 0, memory_order_relaxed);
	atomic_store_explicit(&rest.start, 0, memory_order_relaxed);
	atomic_store_explicit(&rest.end, 0, memory_order_relaxed);
}

static void set(struct freed *freed, uint64_t start, uint64_t end, uint32_t generation)
{
	atomic_store_explicit(&freed->generation, generation, memory_order_relaxed);
	atomic_store_explicit(&freed->start, start, memory_order_relaxed);
	atomic_store_explicit(&freed->end, end, memory_order_relaxed);
}

static void add_to_rest(uint64_t start, uint64_t end, uint32_t generation)
{
	uint64_t first = atomic_load_explicit(&rest.start, memory_order_relaxed);
	uint64_t last = atomic_load_explicit(&rest.end, memory_order_relaxed);

	set(&rest, !first || start < first ? start : first, end > last ? end : last, generation);
}

void module_freed_add(uint64_t start, uint64_t end, uint32_t generation)
{
	uint32_t i = 0, count = atomic_load_explicit(&table_count, memory_order_relaxed);

	while (i < count && (table[i].start != start || table[i].end != end))
		i++;
	if (i == MODULE_FREED_MAX) {
		add_to_rest(start, end, generation);
		return;
	}
	set(&table[i], start, end, generation);
	if (i == count)
		atomic_store_explicit(&table_count, count + 1, memory_order_release);
}

/* Returns the generation of a range that holds pc, if it is a later one than `before`. */
static uint32_t later(const struct freed *freed, uint64_t pc, uint32_t before)
{
	uint32_t generation = atomic_load_explicit(&freed->generation, memory_order_relaxed);
	bool holds = pc >= atomic_load_explicit(&freed->start, memory_order_relaxed) &&
		     pc < atomic_load_explicit(&freed->end, memory_order_relaxed);

	return holds && generation > before ? generation : before;
}

uint32_t module_freed_generation(uint64_t pc, uint32_t *unsure)
{
	uint32_t count = atomic_load_explicit(&table_count, memory_order_acquire);
	uint32_t generation = SPOOL_NEVER_UNLOADED;

	for (uint32_t i = 0; i < count; i++)
		generation = later(&table[i], pc, generation);
	*unsure = later(&rest, pc, generation);
	return generation;
}

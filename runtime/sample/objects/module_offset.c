/*
 * Handlers read both tables without a lock.  Of places, a sequence number is odd while the table
 * changes, and a reader that sees it change finds nothing.  A range from which an object was
 * unloaded only grows, and its generation only rises; when that table is full, one more range
 * covers all others.
 */
#include "runtime/sample/objects/module.h"

#include <stdatomic.h>

#include "runtime/spool/format.h"

#define PLACES_MAX 2048

static struct module_offset
	places[PLACES_MAX]; /* W: holder of the modules' lock.  R: any handler */
static _Atomic uint32_t place_count;
static _Atomic uint32_t sequence;

struct freed {
	_Atomic uint64_t start, end;
	_Atomic uint32_t generation;
};

static struct freed ranges[MODULE_FREED_MAX]; /* W: holder of the modules' lock.  R: any handler */
static struct freed rest;		      /* the same.  start 0: none */
static _Atomic uint32_t freed_count;	      /* release: publishes ranges[] */

/* Never inlined: gcc's -Wtsan looks into a system header's macros only where it inlines them. */
__attribute__((noinline)) static void begin(void)
{
	atomic_fetch_add_explicit(&sequence, 1, memory_order_relaxed);
	/* pairs with the fence in is_still(): the odd number before the places */
	atomic_thread_fence(memory_order_release);
}

static void end(void)
{
	/* release: the places before the even number */
	atomic_fetch_add_explicit(&sequence, 1, memory_order_release);
}

void module_offset_start(void)
{
	atomic_store_explicit(&freed_count, 0, memory_order_relaxed);
	atomic_store_explicit(&rest.start, 0, memory_order_relaxed);
	atomic_store_explicit(&rest.end, 0, memory_order_relaxed);
	if (!atomic_load_explicit(&sequence, memory_order_relaxed))
		return; /* nor copy a page for it */
	atomic_store_explicit(&place_count, 0, memory_order_relaxed);
	atomic_store_explicit(&sequence, 0, memory_order_relaxed);
}

static bool holds(const struct module_offset *place, uint64_t pc, uint32_t unused)
{
	(void)unused;
	return pc >= place->start && pc < place->end;
}

static bool is_of(const struct module_offset *place, uint64_t first, uint32_t generation)
{
	return place->start + place->shift == first && place->generation == generation;
}

/* Never inlined, as begin(). */
__attribute__((noinline)) static bool is_still(uint32_t before)
{
	/* pairs with the fence in begin(): reads of the places before the second read of the
	 * number */
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&sequence, memory_order_relaxed) == before;
}

static inline __attribute__((always_inline)) bool
find(bool (*suits)(const struct module_offset *place, uint64_t address, uint32_t generation),
     uint64_t address, uint32_t generation, struct module_offset *place)
{
	uint32_t before = atomic_load_explicit(&sequence, memory_order_acquire);
	uint32_t count = atomic_load_explicit(&place_count, memory_order_relaxed);
	bool found = false;

	if (!count || before & 1)
		return false;
	for (uint32_t i = 0; i < count && !found; i++) {
		*place = places[i];
		found = suits(place, address, generation);
	}
	return found && is_still(before);
}

bool module_offset_find(uint64_t pc, struct module_offset *place)
{
	return find(holds, pc, 0, place);
}

bool module_offset_of(uint64_t first, uint32_t generation, struct module_offset *place)
{
	return find(is_of, first, generation, place);
}

static void drop(uint32_t i)
{
	uint32_t last = atomic_load_explicit(&place_count, memory_order_relaxed) - 1;

	places[i] = places[last];
	atomic_store_explicit(&place_count, last, memory_order_relaxed);
}

bool module_offset_set(const struct module_offset *place)
{
	uint32_t count;
	bool room;

	begin();
	for (uint32_t i = atomic_load_explicit(&place_count, memory_order_relaxed); i--;)
		if (places[i].start < place->end && places[i].end > place->start)
			drop(i);
	count = atomic_load_explicit(&place_count, memory_order_relaxed);
	room = count < PLACES_MAX;
	if (room) {
		places[count] = *place;
		atomic_store_explicit(&place_count, count + 1, memory_order_relaxed);
	}
	end();
	return room;
}

void module_offset_keep(bool (*is_there)(uint64_t start, void *context), void *context)
{
	begin();
	for (uint32_t i = atomic_load_explicit(&place_count, memory_order_relaxed); i--;)
		if (!is_there(places[i].start, context))
			drop(i);
	end();
}

uint32_t module_offset_changes(void)
{
	return atomic_load_explicit(&sequence, memory_order_acquire);
}

static void freed_set(struct freed *freed, uint64_t start, uint64_t end, uint32_t generation)
{
	atomic_store_explicit(&freed->generation, generation, memory_order_relaxed);
	atomic_store_explicit(&freed->start, start, memory_order_relaxed);
	atomic_store_explicit(&freed->end, end, memory_order_relaxed);
}

static void add_to_rest(uint64_t start, uint64_t end, uint32_t generation)
{
	uint64_t first = atomic_load_explicit(&rest.start, memory_order_relaxed);
	uint64_t last = atomic_load_explicit(&rest.end, memory_order_relaxed);

	freed_set(&rest, !first || start < first ? start : first, end > last ? end : last,
		  generation);
}

void module_freed_add(uint64_t start, uint64_t end, uint32_t generation)
{
	uint32_t i = 0, count = atomic_load_explicit(&freed_count, memory_order_relaxed);

	while (i < count && (ranges[i].start != start || ranges[i].end != end))
		i++;
	if (i == MODULE_FREED_MAX) {
		add_to_rest(start, end, generation);
		return;
	}
	freed_set(&ranges[i], start, end, generation);
	if (i == count)
		atomic_store_explicit(&freed_count, count + 1, memory_order_release);
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
	uint32_t count = atomic_load_explicit(&freed_count, memory_order_acquire);
	uint32_t generation = SPOOL_NEVER_UNLOADED;

	for (uint32_t i = 0; i < count; i++)
		generation = later(&ranges[i], pc, generation);
	*unsure = later(&rest, pc, generation);
	return generation;
}

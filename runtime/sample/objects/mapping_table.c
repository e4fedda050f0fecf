/*
 * One table for all threads, sorted by address.  Its lock is held for a very short time, by code
 * that never blocks.  On contention the lookup reports an unknown mapping.  An unmapped range stays
 * in the table until another mapping replaces it.
 */
#include "runtime/sample/objects/mapping_table.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <linux/perf_event.h>

#include "config/events/events.h"
#include "runtime/sample/elf/loader.h"
#include "runtime/sample/cfi/unwind_range.h"
#include "runtime/sample/objects/module.h"
#include "runtime/sample/objects/module_table.h"
#include "runtime/sample/sys/lock.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/spool/format.h"

struct mapped {
	uint64_t start;
	uint64_t end;
	uint64_t frame;
};

static struct modules *modules;
static _Atomic uint32_t lock;
static unsigned count, files;
static struct mapped table[MAPPING_TABLE_MAX];
static uint64_t file_name[MAPPING_TABLE_FILES]; /* hash of its path, of each file's frame */

bool mapping_table_suits(const struct event *event)
{
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_PAGE_FAULTS ||
		event->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		event->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

bool mapping_table_shows_ours(const struct events *events)
{
	for (unsigned i = 0; i < events->count; i++)
		if (mapping_table_suits(&events->event[i]) ||
		    events->event[i].type == PERF_TYPE_TRACEPOINT)
			return true;
	return false;
}

void mapping_table_prepare(struct perf_event_attr *attr)
{
	attr->mmap = attr->mmap2 = attr->mmap_data = 1;
}

/* FNV-1a */
static uint64_t hash(const char *name)
{
	uint64_t sum = 0xcbf29ce484222325ULL;

	for (; *name; name++)
		sum = (sum ^ (unsigned char)*name) * 0x100000001b3ULL;
	return sum;
}

/* Returns the frame of a mapped file.  When the table is full, further files share one frame. */
static uint64_t frame_of_file(const char *name)
{
	uint64_t sum = hash(name), frame;

	for (unsigned i = 0; i < files; i++)
		if (file_name[i] == sum)
			return SPOOL_PC_FILE + i;
	frame = SPOOL_PC_FILE + files;
	if (files == MAPPING_TABLE_FILES ||
	    !module_note_named(modules, frame, frame + 1, name, false) ||
	    !module_table_has(modules, frame)) /* there is no room for it */
		return SPOOL_PC_REGION + SPOOL_REGION_FILE;
	file_name[files++] = sum;
	return frame;
}

/* Names as in proc(5), maps, and as in PERF_RECORD_MMAP2. */
static uint64_t frame_of(const char *name)
{
	if (!name[0] || !strcmp(name, "//anon") || !strncmp(name, "[anon", 5) ||
	    !strcmp(name, "/dev/zero (deleted)")) /* shared, mmap(2) */
		return SPOOL_PC_REGION + SPOOL_REGION_ANONYMOUS;
	if (!strcmp(name, "[heap]"))
		return SPOOL_PC_REGION + SPOOL_REGION_HEAP;
	if (!strncmp(name, "[stack", 6))
		return SPOOL_PC_REGION + SPOOL_REGION_STACK;
	return frame_of_file(name);
}

/* Returns the index of the first mapping that ends above an address. */
static unsigned first_behind(uint64_t address)
{
	unsigned low = 0, high = count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (table[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Inserts a mapping in place of all mappings that it covers; a mapping that reaches beyond it is
 * cut.  Where the table has no room, what is there becomes unknown. */
static void insert(uint64_t start, uint64_t end, uint64_t frame)
{
	unsigned from = first_behind(start), to = from, more = 0, room;
	struct mapped made[3];
	bool before, behind;

	if (start >= end)
		return;
	while (to < count && table[to].start < end)
		to++;
	before = to > from && table[from].start < start;
	behind = to > from && table[to - 1].end > end;
	room = MAPPING_TABLE_MAX - (count - (to - from));
	if (before)
		made[more++] = (struct mapped){ table[from].start, start, table[from].frame };
	if (before + behind < (int)room)
		made[more++] = (struct mapped){ start, end, frame };
	if (behind && more < room)
		made[more++] = (struct mapped){ end, table[to - 1].end, table[to - 1].frame };
	memmove(&table[from + more], &table[to], (count - to) * sizeof(*table));
	memcpy(&table[from], made, more * sizeof(*table));
	count = count - (to - from) + more;
}

static bool insert_mapping(const struct mapping *mapping, void *unused)
{
	(void)unused;
	insert(mapping->start, mapping->end, frame_of(mapping->name));
	return true;
}

void mapping_table_start(struct modules *noted_in)
{
	static char text[MAPPING_LINE_BYTES]; /* one thread: init, or a fork's child */

	atomic_store_explicit(&lock, LOCK_FREE, memory_order_relaxed);
	modules = noted_in;
	count = files = 0;
	mapping_each(MAPPING_OWN, text, insert_mapping, NULL);
}

void mapping_table_note(uint64_t start, uint64_t bytes, const char *name)
{
	if (!lock_take_patiently(&lock))
		return;
	insert(start, start + bytes, frame_of(name));
	lock_give(&lock);
}

static uint64_t look_up(uint64_t address)
{
	uint64_t frame = 0;
	unsigned at;

	if (!lock_take_patiently(&lock))
		return 0;
	at = first_behind(address);
	if (at < count && table[at].start <= address)
		frame = table[at].frame;
	lock_give(&lock);
	return frame;
}

/* A library has mappings of its file and, for its zeroed data, one without a name. */
uint64_t mapping_table_frame(const struct unwind_stack *stack, uint64_t address)
{
	const uint64_t anonymous = SPOOL_PC_REGION + SPOOL_REGION_ANONYMOUS;
	struct dl_find_object object;
	uint64_t frame;

	if (loader_find(address, &object)) {
		module_note(modules, address);
		return SPOOL_PC_LIBRARY + (uint64_t)(uintptr_t)object.dlfo_map_start;
	}
	frame = look_up(address);
	if ((!frame || frame == anonymous) && address >= stack->low && address < stack->high)
		return SPOOL_PC_REGION + SPOOL_REGION_STACK;
	return frame ? frame : SPOOL_PC_REGION + SPOOL_REGION_UNKNOWN;
}

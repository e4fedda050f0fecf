/*
 * One list, written by thread code and read by handlers without a lock.  A sequence number is odd
 * while the list changes, and a reader that sees it change reports no object.  A handler that
 * interrupts the writer reports none either, and never waits.
 */
#include "runtime/sample/cfi/unwind_snapshot.h"

#include <link.h>
#include <stdatomic.h>
#include <stddef.h>

#include "runtime/sample/elf/loader.h"

#define OBJECTS_MAX 512

static struct unwind_object objects[OBJECTS_MAX]; /* W: the writer.  R: any handler */
static _Atomic uint32_t object_count;
static _Atomic uint32_t sequence;
static _Atomic bool writing;

static int add_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	uint32_t count = atomic_load_explicit(&object_count, memory_order_relaxed);
	struct unwind_object object = { 0 };

	(void)size;
	(void)argument;
	loader_extent(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr, &object.start,
		      &object.end);
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			object.eh_frame = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	if (count == OBJECTS_MAX)
		return 1;
	objects[count] = object;
	atomic_store_explicit(&object_count, count + 1, memory_order_relaxed);
	return 0;
}

void unwind_snapshot_take(void)
{
	if (atomic_exchange_explicit(&writing, true, memory_order_acquire))
		return; /* the other writer's list is as new */
	atomic_fetch_add_explicit(&sequence, 1, memory_order_relaxed);
	/* pairs with the fence in unwind_snapshot_find(): the odd number before the list */
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&object_count, 0, memory_order_relaxed);
	dl_iterate_phdr(add_object, NULL);
	/* release: the list before the even number */
	atomic_fetch_add_explicit(&sequence, 1, memory_order_release);
	atomic_store_explicit(&writing, false, memory_order_release);
}

bool unwind_snapshot_find(uint64_t address, struct unwind_object *object)
{
	uint32_t before = atomic_load_explicit(&sequence, memory_order_acquire);
	uint32_t count = atomic_load_explicit(&object_count, memory_order_relaxed);
	bool found = false;

	if (before & 1)
		return false;
	for (uint32_t i = 0; i < count && !found; i++) {
		*object = objects[i];
		found = address >= object->start && address < object->end;
	}
	/* pairs with the fence in unwind_snapshot_take(): reads of the list before the second read
	 * of the number */
	atomic_thread_fence(memory_order_acquire);
	return found && atomic_load_explicit(&sequence, memory_order_relaxed) == before;
}

/*
 * Open addressing, at most seven eighths full.  The larger array is complete before it is the one
 * in use.
 */
#include "runtime/sample/store/hash_index.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/poison.h"

#define SLOTS_LEAST 256u

void hash_index_clear(struct hash_index *index)
{
	if (!index->slots)
		return; /* nor copy a page for it */
	sys_munmap(index->slots, index->size * sizeof(*index->slots));
	*index = (struct hash_index){ 0 };
}

static struct hash_slot *find_in(struct hash_slot *in, uint32_t size, uint64_t hash)
{
	uint32_t at = (uint32_t)(hash >> 32);

	while (in[at & (size - 1)].hash && in[at & (size - 1)].hash != hash)
		at++;
	return &in[at & (size - 1)];
}

uint32_t hash_index_find(const struct hash_index *index, uint64_t hash)
{
	return index->slots ? (uint32_t)find_in(index->slots, index->size, hash)->number : 0;
}

/* At every step the child of a fork of another thread may unmap what `slots` and `size` say. */
static void move(struct hash_index *index, struct hash_slot *into, uint32_t size)
{
	struct hash_slot *from = index->slots;
	uint32_t from_size = index->size;

	for (uint32_t i = 0; i < from_size; i++)
		if (from[i].hash)
			*find_in(into, size, from[i].hash) = from[i];
	index->slots = into;
	atomic_signal_fence(memory_order_seq_cst);
	index->size = size;
	atomic_signal_fence(memory_order_seq_cst);
	if (from)
		sys_munmap(from, from_size * sizeof(*from));
}

bool hash_index_has_room(struct hash_index *index)
{
	uint32_t size = index->size ? index->size * 2 : SLOTS_LEAST;
	void *memory;

	if (index->used < index->size / 2)
		return true;
	if (sys_mmap_apart(&memory, size * sizeof(struct hash_slot), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1))
		return index->used < index->size / 8 * 7;
	move(index, memory, size);
	return true;
}

void hash_index_add(struct hash_index *index, uint64_t hash, uint32_t number)
{
	struct hash_slot *slot = find_in(index->slots, index->size, hash);

	slot->number = number;
	atomic_signal_fence(memory_order_seq_cst);
	slot->hash = hash;
	index->used++;
}

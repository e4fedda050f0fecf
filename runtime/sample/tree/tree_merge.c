/*
 * A merge adds weights to the target before it clears them in the source: if the process is killed
 * in between, one node counts twice rather than not at all.
 */
#include "runtime/sample/tree/tree.h"

#include <sys/mman.h>

#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/sys/sys.h"

static void move_weights(struct tree *into, uint32_t to, struct spool_node *from, uint64_t *lost)
{
	for (unsigned i = 0; i < into->spool->header->counter_count; i++) {
		struct spool_weight *weight = &from->weight[i];
		uint64_t samples = atomic_load_explicit(&weight->samples, memory_order_relaxed);
		uint64_t events = atomic_load_explicit(&weight->events, memory_order_relaxed);

		if (!samples && !events)
			continue;
		if (to)
			tree_weigh(into, to, i, samples, events);
		else
			*lost += samples;
		atomic_store_explicit(&weight->samples, 0, memory_order_relaxed);
		atomic_store_explicit(&weight->events, 0, memory_order_relaxed);
	}
}

uint32_t tree_merge_node(const struct tree_merge *merge, uint32_t node)
{
	const struct spool_alloc *spool = merge->from->spool;
	uint64_t offset = (uint64_t)node * SPOOL_NODE_UNIT;
	struct spool_chunk *chunk =
		spool_alloc_at(spool, offset / SPOOL_CHUNK_BYTES * SPOOL_CHUNK_BYTES);
	uint64_t inside = offset % SPOOL_CHUNK_BYTES - SPOOL_CHUNK_HEAD;

	if (!merge->map)
		return merge->overflow;
	return merge->map[chunk->number * merge->per_chunk + inside / spool->header->node_bytes];
}

static void merge_chunk(struct tree_merge *merge, struct spool_chunk *chunk, uint64_t *lost)
{
	uint32_t count = atomic_load_explicit(&chunk->count, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++) {
		struct spool_node *node = tree_chunk_node(merge->from, chunk, i);
		uint32_t parent =
			node->parent && merge->map ? tree_merge_node(merge, node->parent) : 0;
		uint32_t to = merge->overflow;

		if (merge->map)
			to = merge->map[chunk->number * merge->per_chunk + i] =
				tree_child_like(merge->into, parent, node);
		move_weights(merge->into, to, node, lost);
	}
}

static struct spool_chunk *linked(const struct tree *tree, _Atomic uint64_t *link)
{
	uint64_t next = atomic_load_explicit(link, memory_order_relaxed);

	return next ? spool_alloc_at(tree->spool, next) : NULL;
}

static size_t map_bytes(const struct tree_merge *merge)
{
	return (size_t)merge->from->chunks * merge->per_chunk * sizeof(uint32_t);
}

void tree_merge_begin(struct tree_merge *merge, struct tree *into, struct tree *from,
		      uint64_t *lost)
{
	static const uint64_t overflow_pc = SPOOL_PC_OVERFLOW;
	struct spool_chunk *chunk = linked(from, from->first_chunk);
	bool overflowed = false;
	void *memory;

	*merge = (struct tree_merge){
		.into = into,
		.from = from,
		.per_chunk = tree_chunk_capacity(from),
	};
	if (!chunk)
		return;
	if (sys_mmap_apart(&memory, map_bytes(merge), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1))
		merge->overflow = tree_extend(into, 0, &overflow_pc, 1, &overflowed);
	else
		merge->map = memory;
	for (; chunk; chunk = linked(from, &chunk->next))
		merge_chunk(merge, chunk, lost);
}

void tree_merge_end(struct tree_merge *merge)
{
	struct tree *from = merge->from;
	struct spool_chunk *chunk = linked(from, from->first_chunk), *next;

	if (merge->map)
		sys_munmap(merge->map, map_bytes(merge));
	merge->map = NULL;
	atomic_store_explicit(from->first_chunk, 0, memory_order_release);
	for (; chunk; chunk = next) {
		next = linked(from, &chunk->next);
		spool_alloc_give(from->spool, chunk);
	}
	from->chunk = NULL;
	from->chunks = 0;
}

void tree_merge(struct tree *into, struct tree *from, uint64_t *lost)
{
	struct tree_merge merge;

	tree_merge_begin(&merge, into, from, lost);
	tree_merge_end(&merge);
}

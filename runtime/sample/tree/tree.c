/*
 * Invariants: a node is complete before its chunk's count is released.  Its parent is a node of the
 * same tree that was published earlier.  (parent, pc, generation) is unique unless memory ran out.
 * The index is private and may be lost: it only serves to find nodes.
 */
#include "runtime/sample/tree/tree.h"

#include <stddef.h>
#include <sys/mman.h>

#include "runtime/sample/objects/module.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/spool/format_code.h"

#define INDEX_LEAST 1024 /* entries: one page */

static struct spool_node *node_at(const struct tree *tree, uint32_t node)
{
	return spool_alloc_at(tree->spool, (uint64_t)node * SPOOL_NODE_UNIT);
}

unsigned tree_chunk_capacity(const struct tree *tree)
{
	return (SPOOL_CHUNK_BYTES - SPOOL_CHUNK_HEAD) / tree->spool->header->node_bytes;
}

struct spool_node *tree_chunk_node(const struct tree *tree, struct spool_chunk *chunk, unsigned i)
{
	size_t offset = SPOOL_CHUNK_HEAD + (size_t)i * tree->spool->header->node_bytes;

	return (void *)((char *)chunk + offset);
}

static uint32_t node_reference(const struct tree *tree, const struct spool_node *node)
{
	return (uint32_t)(spool_alloc_offset(tree->spool, node) / SPOOL_NODE_UNIT);
}

void tree_start(struct tree *tree, struct spool_alloc *spool, struct modules *modules,
		_Atomic uint64_t *first_chunk)
{
	tree->spool = spool;
	tree->modules = modules;
	tree->first_chunk = first_chunk;
	tree->chunk = NULL;
	tree->chunks = 0;
	tree->path_depth = 0;
	tree->missing_pc = 0;
	if (tree->index_used)
		for (uint32_t i = 0; i < tree->index_size; i++)
			tree->index[i] = 0;
	tree->index_used = 0;
}

void tree_free(struct tree *tree)
{
	if (tree->index)
		sys_munmap(tree->index, tree->index_size * sizeof(*tree->index));
	tree->index = NULL;
	tree->index_size = tree->index_used = 0;
}

static uint32_t hash(uint32_t parent, uint64_t pc)
{
	uint64_t mixed = (pc ^ (uint64_t)parent << 40) * 0x9e3779b97f4a7c15ULL;

	mixed ^= (uint64_t)parent * 0xc2b2ae3d27d4eb4fULL;
	return (uint32_t)(mixed >> 32 ^ mixed >> 11);
}

static void index_put(uint32_t *index, uint32_t size, uint32_t at, uint32_t node)
{
	while (index[at & (size - 1)])
		at++;
	index[at & (size - 1)] = node;
}

/* Doubles the index once it is half full.  Returns false if it is nearly full and cannot grow. */
static bool index_has_room(struct tree *tree)
{
	uint32_t size = tree->index_size ? tree->index_size * 2 : INDEX_LEAST;
	void *memory;

	if (tree->index_used < tree->index_size / 2)
		return true;
	if (sys_mmap_apart(&memory, size * sizeof(uint32_t), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1))
		return tree->index_used < tree->index_size / 8 * 7;
	for (uint32_t i = 0; i < tree->index_size; i++) {
		uint32_t node = tree->index[i];

		if (node)
			index_put(memory, size,
				  hash(node_at(tree, node)->parent, node_at(tree, node)->pc), node);
	}
	if (tree->index)
		sys_munmap(tree->index, tree->index_size * sizeof(uint32_t));
	tree->index = memory;
	tree->index_size = size;
	return true;
}

static struct spool_chunk *chunk_add(struct tree *tree, bool last_resort)
{
	struct spool_chunk *chunk = spool_alloc_take(tree->spool, SPOOL_CHUNK_NODES, last_resort);
	_Atomic uint64_t *link = tree->chunk ? &tree->chunk->next : tree->first_chunk;

	if (!chunk)
		return NULL;
	chunk->number = tree->chunks++; /* tree_merge.c uses it */
	atomic_store_explicit(link, spool_alloc_offset(tree->spool, chunk),
			      memory_order_release); /* pairs with the reader's acquire */
	tree->chunk = chunk;
	return chunk;
}

/* Which memory a new node may use. */
enum room {
	ROOM_COMMON,
	ROOM_LAST_CHUNKS, /* also the spool's reserve */
	ROOM_LAST_NODE,	  /* also the last node of the newest chunk */
};

static uint32_t node_new(struct tree *tree, uint32_t parent, uint64_t pc, uint32_t generation,
			 enum room room)
{
	struct spool_chunk *chunk = tree->chunk;
	struct spool_node *node;
	uint32_t count = 0;

	if (!index_has_room(tree))
		return 0;
	if (chunk)
		count = atomic_load_explicit(&chunk->count, memory_order_relaxed);
	if (!chunk || count >= tree_chunk_capacity(tree) - (room != ROOM_LAST_NODE)) {
		chunk = chunk_add(tree, room != ROOM_COMMON);
		count = 0;
	}
	if (!chunk)
		return 0;
	node = tree_chunk_node(tree, chunk, count);
	node->pc = pc;
	node->parent = parent;
	node->generation = generation;
	atomic_store_explicit(&chunk->count, count + 1, memory_order_release); /* publishes node */
	index_put(tree->index, tree->index_size, hash(parent, pc), node_reference(tree, node));
	tree->index_used++;
	return node_reference(tree, node);
}

static uint32_t find(const struct tree *tree, uint32_t parent, uint64_t pc, uint32_t generation)
{
	if (!tree->index_size)
		return 0;
	for (uint32_t at = hash(parent, pc);; at++) {
		uint32_t node = tree->index[at & (tree->index_size - 1)];
		const struct spool_node *found = node_at(tree, node);

		if (!node ||
		    (found->pc == pc && found->parent == parent && found->generation == generation))
			return node;
	}
}

static void note(struct tree *tree, uint64_t pc)
{
	if (tree->modules && pc >= SPOOL_PC_LIMIT && !spool_code_is(pc) &&
	    !module_note(tree->modules, pc))
		tree->missing_pc = pc;
}

/* Returns the generation of *pc and changes *pc to the address that a node stores for it. */
static uint32_t generation_of(const struct tree *tree, uint64_t *pc)
{
	return tree->modules && !spool_code_is(*pc) ? module_generation(tree->modules, pc) : 0;
}

/* Finds or makes the child of `parent` for pc.  Returns 0 if it is new and there is no room.  Where
 * an object was unloaded, another one may be, whose code has the same addresses.  The generation of
 * a new node is read after the note, because the note may end the object that was at this address
 * before. */
static uint32_t child(struct tree *tree, uint32_t parent, uint64_t pc, enum room room)
{
	uint64_t at = pc;
	uint32_t generation, node;

	if (tree->modules && module_is_vacant(tree->modules, pc))
		note(tree, pc);
	generation = generation_of(tree, &at);
	node = find(tree, parent, at, generation);
	if (node)
		return node;
	note(tree, pc);
	at = pc;
	generation = generation_of(tree, &at);
	node = find(tree, parent, at, generation);
	return node ? node : node_new(tree, parent, at, generation, room);
}

/* Returns the child for lost contexts under `parent`.  If not even the reserve has room for it,
 * the node is an outermost frame: a tree with any node keeps room for that one. */
static uint32_t overflow_child(struct tree *tree, uint32_t parent, bool *overflowed)
{
	uint32_t node = child(tree, parent, SPOOL_PC_OVERFLOW, ROOM_LAST_CHUNKS);

	*overflowed = true;
	return node ? node : child(tree, 0, SPOOL_PC_OVERFLOW, ROOM_LAST_NODE);
}

static uint32_t child_or_overflow(struct tree *tree, uint32_t parent, uint64_t pc, bool *overflowed)
{
	uint32_t node = child(tree, parent, pc, ROOM_COMMON);

	return node ? node : overflow_child(tree, parent, overflowed);
}

uint32_t tree_extend(struct tree *tree, uint32_t node, const uint64_t *pcs, unsigned depth,
		     bool *overflowed)
{
	while (depth-- && !*overflowed)
		node = child_or_overflow(tree, node, pcs[depth], overflowed);
	return node;
}

static unsigned known_steps(const struct tree *tree, uint64_t root_pc, const uint64_t *pcs,
			    unsigned depth)
{
	const struct tree_step *step = tree->path, *end = step + tree->path_depth;

	if (root_pc && step < end) {
		if (step->pc != root_pc)
			return 0;
		step++;
	}
	if (depth < (unsigned)(end - step))
		end = step + depth;
	for (const uint64_t *pc = pcs + depth; step < end && step->pc == *--pc; step++)
		;
	return (unsigned)(step - tree->path);
}

uint32_t tree_path(struct tree *tree, uint64_t root_pc, const uint64_t *pcs, unsigned depth,
		   bool *overflowed)
{
	unsigned steps, all = depth + (root_pc != 0);
	uint32_t changes = tree->modules ? module_changes(tree->modules) : 0;
	uint32_t node;

	if (tree->path_changes != changes)
		tree->path_depth = 0;
	tree->path_changes = changes;
	if (tree->missing_pc && module_note(tree->modules, tree->missing_pc))
		tree->missing_pc = 0;
	steps = known_steps(tree, root_pc, pcs, depth);
	node = steps ? tree->path[steps - 1].node : 0;
	for (; steps < all; steps++) {
		uint64_t pc = root_pc && !steps ? root_pc : pcs[all - steps - 1];

		node = child_or_overflow(tree, node, pc, overflowed);
		if (*overflowed)
			break;
		if (steps < tree->path_max)
			tree->path[steps] = (struct tree_step){ pc, node };
	}
	tree->path_depth = *overflowed ? 0 : (steps < tree->path_max ? steps : tree->path_max);
	return node;
}

void tree_weigh(struct tree *tree, uint32_t node, unsigned counter, uint64_t samples,
		uint64_t events)
{
	struct spool_weight *weight = &node_at(tree, node)->weight[counter];

	spool_alloc_add(&weight->samples, samples);
	spool_alloc_add(&weight->events, events);
}

uint32_t tree_child_like(struct tree *tree, uint32_t parent, const struct spool_node *like)
{
	uint32_t node = find(tree, parent, like->pc, like->generation);
	bool overflowed = false;

	if (!node)
		node = node_new(tree, parent, like->pc, like->generation, ROOM_COMMON);
	return node ? node : overflow_child(tree, parent, &overflowed);
}

/*
 * The tree of named frames.  It owns its memory in blocks that never move, so a frame and its name
 * stay where they are until frame_tree_free().
 *
 * Names are interned: there is one copy of each, and two names are equal when their pointers are.
 * Children are found through one hash table over (parent, name), so a lookup costs the same with
 * two siblings as with a thousand.  Nothing here recurses: a stack may be as deep as memory allows.
 *
 * The tables are not those of map.h: a slot is one pointer instead of 24 bytes, an entry is a
 * pointer and not a number of 32 bits, and room can be reserved before anything is added.  With
 * map.h reading folded stacks takes a third more memory and a few percent more time.
 *
 * Order matters in frame_tree_add(): all memory is reserved before the first frame is linked, so
 * that a failure leaves the tree unchanged.
 */
#include "runtime/profile/tree/frame_tree.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES	((size_t)256 << 10)
#define TABLE_SLOTS_MIN 1024 /* a power of two */

struct block {
	struct block *next;
	size_t used_bytes;
	size_t size_bytes;
	alignas(max_align_t) char data[];
};

/* Open addressing over pointers; at most two thirds full, so that a probe always ends. */
struct table {
	void **slot;
	size_t slots;
	size_t used;
};

/* An interned name; struct frame.name points at text. */
struct name {
	size_t hash;
	char text[];
};

struct frame_tree {
	struct frame *root;
	struct block *blocks; /* the block in use comes first */
	struct table names;   /* of struct name */
	struct table frames;  /* of struct frame, without the root */
	size_t depth;
};

static size_t hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	return (size_t)(hash ^ (hash >> 29));
}

static size_t hash_pair(const struct frame *parent, const char *name)
{
	uint64_t hash = (uint64_t)(uintptr_t)parent * 0x9e3779b97f4a7c15ULL;

	hash = (hash ^ (hash >> 32) ^ (uint64_t)(uintptr_t)name) * 0xd6e8feb86659fd93ULL;
	return (size_t)(hash ^ (hash >> 32));
}

static size_t hash_name(const void *entry)
{
	return ((const struct name *)entry)->hash;
}

static size_t hash_frame(const void *entry)
{
	const struct frame *frame = entry;

	return hash_pair(frame->parent, frame->name);
}

/* Adds an entry that is not in the table yet; the table must have room. */
static void table_put(struct table *table, size_t hash, void *entry)
{
	size_t slot = hash & (table->slots - 1);

	while (table->slot[slot])
		slot = (slot + 1) & (table->slots - 1);
	table->slot[slot] = entry;
	table->used++;
}

/* Make room for `more` entries. */
static int table_reserve(struct table *table, size_t more, size_t (*hash)(const void *))
{
	size_t need = table->used + more;
	struct table larger = { .slots = table->slots ? table->slots : TABLE_SLOTS_MIN };

	if (need > SIZE_MAX / 4 / sizeof(void *))
		return -ENOMEM;
	while (need > larger.slots / 3 * 2)
		larger.slots *= 2;
	if (larger.slots == table->slots)
		return 0;
	larger.slot = calloc(larger.slots, sizeof(*larger.slot));
	if (!larger.slot)
		return -ENOMEM;
	for (size_t i = 0; i < table->slots; i++) {
		if (table->slot[i])
			table_put(&larger, hash(table->slot[i]), table->slot[i]);
	}
	free(table->slot);
	*table = larger;
	return 0;
}

static size_t aligned(size_t bytes)
{
	return (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
}

/* Reserve `bytes` bytes, so that later allocations up to that sum succeed. */
static int block_reserve(struct frame_tree *tree, size_t bytes)
{
	struct block *block = tree->blocks;
	size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;

	if (block && block->size_bytes - block->used_bytes >= bytes)
		return 0;
	if (size > SIZE_MAX - sizeof(*block))
		return -ENOMEM;
	block = malloc(sizeof(*block) + size);
	if (!block)
		return -ENOMEM;
	block->next = tree->blocks;
	block->used_bytes = 0;
	block->size_bytes = size;
	tree->blocks = block;
	return 0;
}

static void *block_take(struct frame_tree *tree, size_t bytes)
{
	void *memory = tree->blocks->data + tree->blocks->used_bytes;

	tree->blocks->used_bytes += aligned(bytes);
	return memory;
}

/* Returns the interned name, or NULL if it is not in the tree. */
static const char *name_find(const struct frame_tree *tree, size_t hash, const char *text)
{
	size_t mask = tree->names.slots - 1;
	struct name *name;

	for (size_t slot = hash & mask; (name = tree->names.slot[slot]); slot = (slot + 1) & mask)
		if (name->hash == hash && strcmp(name->text, text) == 0)
			return name->text;
	return NULL;
}

/* Like name_find(), but adds a missing name; its memory is already reserved. */
static const char *name_intern(struct frame_tree *tree, const char *text)
{
	size_t hash = hash_text(text);
	const char *known = name_find(tree, hash, text);
	size_t bytes = strlen(text) + 1;
	struct name *name;

	if (known)
		return known;
	name = block_take(tree, sizeof(*name) + bytes);
	name->hash = hash;
	memcpy(name->text, text, bytes);
	table_put(&tree->names, hash, name);
	return name->text;
}

static struct frame *child_find(const struct frame_tree *tree, struct frame *parent,
				const char *text)
{
	const char *name = name_find(tree, hash_text(text), text);
	size_t mask = tree->frames.slots - 1;
	struct frame *frame;

	if (!name)
		return NULL;
	for (size_t slot = hash_pair(parent, name) & mask; (frame = tree->frames.slot[slot]);
	     slot = (slot + 1) & mask)
		if (frame->parent == parent && frame->name == name)
			return frame;
	return NULL;
}

static struct frame *child_add(struct frame_tree *tree, struct frame *parent, const char *text)
{
	const char *name = name_intern(tree, text);
	struct frame *frame = block_take(tree, sizeof(*frame));

	*frame = (struct frame){
		.name = name,
		.parent = parent,
		.next_sibling = parent->first_child,
	};
	parent->first_child = frame;
	table_put(&tree->frames, hash_frame(frame), frame);
	return frame;
}

/* Reserve memory for frames that may all be new and have new names. */
static int reserve(struct frame_tree *tree, const char *const *frames, size_t depth)
{
	size_t bytes = 0;
	int err;

	for (size_t i = 0; i < depth; i++) {
		size_t more = aligned(sizeof(struct frame)) +
			      aligned(sizeof(struct name) + strlen(frames[i]) + 1);

		if (bytes > SIZE_MAX - more)
			return -ENOMEM;
		bytes += more;
	}
	err = table_reserve(&tree->names, depth, hash_name);
	if (!err)
		err = table_reserve(&tree->frames, depth, hash_frame);
	if (!err)
		err = block_reserve(tree, bytes);
	return err;
}

struct frame_tree *frame_tree_new(void)
{
	struct frame_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return NULL;
	if (table_reserve(&tree->names, 1, hash_name) != 0 ||
	    table_reserve(&tree->frames, 1, hash_frame) != 0 ||
	    block_reserve(tree, aligned(sizeof(struct frame))) != 0) {
		frame_tree_free(tree);
		return NULL;
	}
	tree->root = block_take(tree, sizeof(*tree->root));
	*tree->root = (struct frame){ .name = "" };
	return tree;
}

void frame_tree_free(struct frame_tree *tree)
{
	struct block *next;

	if (!tree)
		return;
	for (struct block *block = tree->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	free(tree->names.slot);
	free(tree->frames.slot);
	free(tree);
}

static void give(struct frame *frame, uint64_t value)
{
	frame->self += value;
	for (; frame; frame = frame->parent)
		frame->total += value;
}

int frame_tree_add(struct frame_tree *tree, const char *const *frames, size_t depth, uint64_t value)
{
	struct frame *frame = tree->root;
	struct frame *child;
	size_t known = 0;
	int err;

	if (depth == 0)
		return -EINVAL;
	if (value == 0)
		return 0;
	if (tree->root->total > UINT64_MAX - value)
		return -EOVERFLOW;
	while (known < depth && (child = child_find(tree, frame, frames[known]))) {
		frame = child;
		known++;
	}
	if (known < depth) {
		err = reserve(tree, frames + known, depth - known);
		if (err)
			return err;
		for (size_t i = known; i < depth; i++)
			frame = child_add(tree, frame, frames[i]);
	}
	give(frame, value);
	if (depth > tree->depth)
		tree->depth = depth;
	return 0;
}

struct frame *frame_tree_child(struct frame_tree *tree, struct frame *parent, const char *name)
{
	struct frame *child = child_find(tree, parent, name);
	size_t depth = 0;

	if (child || reserve(tree, &name, 1))
		return child;
	child = child_add(tree, parent, name);
	for (const struct frame *up = child; up->parent; up = up->parent)
		depth++;
	if (depth > tree->depth)
		tree->depth = depth;
	return child;
}

int frame_tree_give(struct frame_tree *tree, struct frame *frame, uint64_t value)
{
	if (tree->root->total > UINT64_MAX - value)
		return -EOVERFLOW;
	give(frame, value);
	return 0;
}

struct frame *frame_tree_next(const struct frame *frame)
{
	if (frame->first_child)
		return frame->first_child;
	while (frame && !frame->next_sibling)
		frame = frame->parent;
	return frame ? frame->next_sibling : NULL;
}

size_t frame_tree_path(const struct frame *frame, const char **names)
{
	size_t depth = 0;

	for (const struct frame *up = frame; up->parent; up = up->parent)
		depth++;
	for (size_t i = depth; i--; frame = frame->parent)
		names[i] = frame->name;
	return depth;
}

struct frame *frame_tree_root(struct frame_tree *tree)
{
	return tree->root;
}

size_t frame_tree_depth(const struct frame_tree *tree)
{
	return tree->depth;
}

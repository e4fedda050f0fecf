/*
 * The tree of named frames.  Owns its memory in blocks that never move, so a frame and its name
 * stay where they are until stacks_free.
 *
 * Names are interned: one copy each, and two names are equal when their pointers are.  Children
 * are found through one hash table over (parent, name), so a thousand siblings cost no more
 * than two.  Nothing here recurses: a stack may be as deep as memory allows.
 *
 * Order matters in stacks_add: all memory is reserved before the first frame is linked, so that
 * a failure leaves the tree as it was.
 */
#include "runtime/fold/profile/stacks.h"

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

/* Open addressing over pointers; never more than two thirds full, so a probe always ends. */
struct table {
	void **slot;
	size_t slots;
	size_t used;
};

/* An interned name; struct stacks_frame.name points at text. */
struct name {
	size_t hash;
	char text[];
};

struct stacks {
	struct stacks_frame *root;
	struct block *blocks; /* the one in use comes first */
	struct table names;   /* of struct name */
	struct table frames;  /* of struct stacks_frame, without the root */
	size_t depth;
	size_t count;
};

static size_t hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	return (size_t)(hash ^ (hash >> 29));
}

static size_t hash_pair(const struct stacks_frame *parent, const char *name)
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
	const struct stacks_frame *frame = entry;

	return hash_pair(frame->parent, frame->name);
}

/* For an entry that is not in the table yet, into a table that has room. */
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

/* Make sure that the next takes, of `bytes` together, succeed. */
static int block_reserve(struct stacks *stacks, size_t bytes)
{
	struct block *block = stacks->blocks;
	size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;

	if (block && block->size_bytes - block->used_bytes >= bytes)
		return 0;
	if (size > SIZE_MAX - sizeof(*block))
		return -ENOMEM;
	block = malloc(sizeof(*block) + size);
	if (!block)
		return -ENOMEM;
	block->next = stacks->blocks;
	block->used_bytes = 0;
	block->size_bytes = size;
	stacks->blocks = block;
	return 0;
}

static void *block_take(struct stacks *stacks, size_t bytes)
{
	void *memory = stacks->blocks->data + stacks->blocks->used_bytes;

	stacks->blocks->used_bytes += aligned(bytes);
	return memory;
}

/* The interned name, or NULL if the tree has never seen it. */
static const char *name_find(const struct stacks *stacks, size_t hash, const char *text)
{
	size_t mask = stacks->names.slots - 1;
	struct name *name;

	for (size_t slot = hash & mask; (name = stacks->names.slot[slot]); slot = (slot + 1) & mask)
		if (name->hash == hash && strcmp(name->text, text) == 0)
			return name->text;
	return NULL;
}

/* Like name_find, but makes what is missing; memory was reserved. */
static const char *name_intern(struct stacks *stacks, const char *text)
{
	size_t hash = hash_text(text);
	const char *known = name_find(stacks, hash, text);
	size_t bytes = strlen(text) + 1;
	struct name *name;

	if (known)
		return known;
	name = block_take(stacks, sizeof(*name) + bytes);
	name->hash = hash;
	memcpy(name->text, text, bytes);
	table_put(&stacks->names, hash, name);
	return name->text;
}

static struct stacks_frame *child_find(const struct stacks *stacks, struct stacks_frame *parent,
				       const char *text)
{
	const char *name = name_find(stacks, hash_text(text), text);
	size_t mask = stacks->frames.slots - 1;
	struct stacks_frame *frame;

	if (!name)
		return NULL;
	for (size_t slot = hash_pair(parent, name) & mask; (frame = stacks->frames.slot[slot]);
	     slot = (slot + 1) & mask)
		if (frame->parent == parent && frame->name == name)
			return frame;
	return NULL;
}

static struct stacks_frame *child_add(struct stacks *stacks, struct stacks_frame *parent,
				      const char *text)
{
	const char *name = name_intern(stacks, text);
	struct stacks_frame *frame = block_take(stacks, sizeof(*frame));

	*frame = (struct stacks_frame){
		.name = name,
		.parent = parent,
		.next_sibling = parent->first_child,
	};
	parent->first_child = frame;
	table_put(&stacks->frames, hash_frame(frame), frame);
	return frame;
}

/* Memory for frames that are all new, in the worst case with new names. */
static int reserve(struct stacks *stacks, const char *const *frames, size_t depth)
{
	size_t bytes = 0;
	int err;

	for (size_t i = 0; i < depth; i++) {
		size_t more = aligned(sizeof(struct stacks_frame)) +
			      aligned(sizeof(struct name) + strlen(frames[i]) + 1);

		if (bytes > SIZE_MAX - more)
			return -ENOMEM;
		bytes += more;
	}
	err = table_reserve(&stacks->names, depth, hash_name);
	if (!err)
		err = table_reserve(&stacks->frames, depth, hash_frame);
	if (!err)
		err = block_reserve(stacks, bytes);
	return err;
}

struct stacks *stacks_new(void)
{
	struct stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	if (table_reserve(&stacks->names, 1, hash_name) != 0 ||
	    table_reserve(&stacks->frames, 1, hash_frame) != 0 ||
	    block_reserve(stacks, aligned(sizeof(struct stacks_frame))) != 0) {
		stacks_free(stacks);
		return NULL;
	}
	stacks->root = block_take(stacks, sizeof(*stacks->root));
	*stacks->root = (struct stacks_frame){ .name = "" };
	return stacks;
}

void stacks_free(struct stacks *stacks)
{
	struct block *next;

	if (!stacks)
		return;
	for (struct block *block = stacks->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	free(stacks->names.slot);
	free(stacks->frames.slot);
	free(stacks);
}

int stacks_add(struct stacks *stacks, const char *const *frames, size_t depth, uint64_t value)
{
	struct stacks_frame *frame = stacks->root;
	struct stacks_frame *child;
	size_t known = 0;
	int err;

	if (depth == 0)
		return -EINVAL;
	if (value == 0)
		return 0;
	if (stacks->root->total > UINT64_MAX - value)
		return -EOVERFLOW;
	while (known < depth && (child = child_find(stacks, frame, frames[known]))) {
		frame = child;
		known++;
	}
	if (known < depth) {
		err = reserve(stacks, frames + known, depth - known);
		if (err)
			return err;
		for (size_t i = known; i < depth; i++)
			frame = child_add(stacks, frame, frames[i]);
	}
	if (frame->self == 0)
		stacks->count++;
	frame->self += value;
	for (; frame; frame = frame->parent)
		frame->total += value;
	if (depth > stacks->depth)
		stacks->depth = depth;
	return 0;
}

struct stacks_frame *stacks_next(const struct stacks_frame *frame)
{
	if (frame->first_child)
		return frame->first_child;
	while (frame && !frame->next_sibling)
		frame = frame->parent;
	return frame ? frame->next_sibling : NULL;
}

size_t stacks_path(const struct stacks_frame *frame, const char **names)
{
	size_t depth = 0;

	for (const struct stacks_frame *up = frame; up->parent; up = up->parent)
		depth++;
	for (size_t i = depth; i--; frame = frame->parent)
		names[i] = frame->name;
	return depth;
}

struct stacks_frame *stacks_root(struct stacks *stacks)
{
	return stacks->root;
}

size_t stacks_count(const struct stacks *stacks)
{
	return stacks->count;
}

size_t stacks_depth(const struct stacks *stacks)
{
	return stacks->depth;
}

/*
 * One calling-context tree in the spool, and the private index that finds its nodes.
 * One writer: the thread's own handler, or, for the trees of ended threads, whoever holds the
 * session's lock.  Readers see only the spool's side (runtime/spool/format.h has the publication).
 */
#ifndef RUNTIME_SAMPLE_TREE_TREE_H
#define RUNTIME_SAMPLE_TREE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/spool/format.h"

struct modules;
struct spool_alloc;

/* What the previous sample's stack was, outermost first: the next one often begins alike. */
struct tree_step {
	uint64_t pc;
	uint32_t node;
};

struct tree {
	struct spool_alloc *spool;
	struct modules *modules;       /* notified of every new address; NULL: none */
	_Atomic uint64_t *first_chunk; /* the slot's; W: this tree */
	struct spool_chunk *chunk;     /* the one being filled; NULL: none yet */
	unsigned chunks;	       /* in the list */
	uint32_t *index;	       /* open addressing; node references, 0: empty */
	uint32_t index_size;	       /* a power of two, or 0 */
	uint32_t index_used;
	struct tree_step *path; /* room for path_max steps, the owner's memory; NULL: no memo */
	unsigned path_max;
	unsigned path_depth;
	uint32_t path_changes; /* module_changes when path was written */
	uint64_t missing_pc;   /* an address whose module could not be noted yet; or 0 */
};

/* The user stack of a sample, in the tree.  One walk serves any number of records. */
struct stack_taken {
	uint32_t node;
	bool overflowed;
	enum spool_count end; /* the count to increase for the way the walk ended */
	bool guessed;
	uint64_t pc; /* where the thread was interrupted; 0: not interrupted */
};

/* Start an empty tree for a slot.  Keeps index and path memory of an earlier use.
 * Context: thread (the handler that will use it is not armed yet). */
void tree_start(struct tree *tree, struct spool_alloc *spool, struct modules *modules,
		_Atomic uint64_t *first_chunk);

/* The node of a stack: root_pc (SPOOL_PC_*; 0: none) then pcs[depth-1] … pcs[0], leaf last.
 * *overflowed is set if the leaf had to be an [overflow] node.
 * Returns the node's reference; 0 if nothing could be stored.  Context: signal. */
uint32_t tree_path(struct tree *tree, uint64_t root_pc, const uint64_t *pcs, unsigned depth,
		   bool *overflowed);

/* Like tree_path(), below an existing node, without the memo: for kernel frames. */
uint32_t tree_extend(struct tree *tree, uint32_t node, const uint64_t *pcs, unsigned depth,
		     bool *overflowed);

/* Add to a node's weight of one counter.  Context: signal. */
void tree_weigh(struct tree *tree, uint32_t node, unsigned counter, uint64_t samples,
		uint64_t events);

/* Returns the child of `parent` for the pc and the generation of a node of another tree: another
 * object may be at its address by now.  An [overflow] node if it is new and there is no room; 0 if
 * nothing could be stored.  Context: thread. */
uint32_t tree_child_like(struct tree *tree, uint32_t parent, const struct spool_node *like);

/* The number of nodes in a chunk, and one of them.  Context: any. */
unsigned tree_chunk_capacity(const struct tree *tree);
struct spool_node *tree_chunk_node(const struct tree *tree, struct spool_chunk *chunk, unsigned i);

/* Give up index memory.  Context: thread. */
void tree_free(struct tree *tree);

/* A merge of the tree of an ended thread into the one of its name, between begin and end. */
struct tree_merge {
	struct tree *into;
	struct tree *from;
	uint32_t *map; /* nodes of `into`, by the index of those of `from`; NULL: no memory */
	unsigned per_chunk;
	uint32_t overflow; /* the node of all weights, where there is no map */
};

/* Move all weights of `from` into `into`, node by node.  What does not fit is left in [overflow]
 * nodes; *lost counts samples that fit nowhere.  Context: thread, under the session's lock;
 * likewise the others. */
void tree_merge_begin(struct tree_merge *merge, struct tree *into, struct tree *from,
		      uint64_t *lost);

/* Returns the node of `into` that has the weights of a node of `from`; 0: none. */
uint32_t tree_merge_node(const struct tree_merge *merge, uint32_t node);

/* Give back the chunks of `from`. */
void tree_merge_end(struct tree_merge *merge);

/* Begin and end at once. */
void tree_merge(struct tree *into, struct tree *from, uint64_t *lost);

#endif

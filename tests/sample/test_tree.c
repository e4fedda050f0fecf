/* Calling-context trees: one node per context, sums kept through merges and a full spool. */

#include <stdlib.h>
#include <string.h>

#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/tree/tree.h"
#include "tests/support/spool_own.h"
#include "tests/support/unit.h"

#define DEPTH	   24
#define SIZE_BYTES (64 * SPOOL_CHUNK_BYTES)

static struct tree tree, other;
static struct tree_step memo[2][DEPTH];
static _Atomic uint64_t first[2];

UNIT(setup)
{
	memset(&tree, 0, sizeof(tree));
	memset(&other, 0, sizeof(other));
	if (spool_own_open(SIZE_BYTES))
		return -1;
	spool_own.header->counter_count = 2;
	spool_own.header->node_bytes = sizeof(struct spool_node) + 2 * sizeof(struct spool_weight);
	tree.path = memo[0];
	other.path = memo[1];
	tree.path_max = other.path_max = DEPTH;
	first[0] = first[1] = 0;
	tree_start(&tree, &spool_own, NULL, &first[0]);
	tree_start(&other, &spool_own, NULL, &first[1]);
	return 0;
}

UNIT(teardown)
{
	tree_free(&tree);
	tree_free(&other);
	return spool_own_close();
}

static const struct spool_node *node_at(uint32_t node)
{
	return spool_alloc_at(&spool_own, (uint64_t)node * SPOOL_NODE_UNIT);
}

/* Sum of one counter's samples over all nodes of the list that begins at `offset`. */
static uint64_t sum_of(uint64_t offset, unsigned counter, unsigned *nodes)
{
	uint64_t sum = 0;

	*nodes = 0;
	while (offset) {
		const struct spool_chunk *chunk = spool_alloc_at(&spool_own, offset);
		const char *entries = (const char *)chunk + SPOOL_CHUNK_HEAD;

		for (uint32_t i = 0; i < chunk->count; i++, (*nodes)++) {
			const struct spool_node *node =
				(const void *)(entries + i * spool_own.header->node_bytes);

			sum += node->weight[counter].samples;
		}
		offset = chunk->next;
	}
	return sum;
}

TEST(the_same_stack_is_the_same_node)
{
	uint64_t pcs[] = { 0x4003, 0x4002, 0x4001 };
	bool overflowed = false;
	uint32_t node = tree_path(&tree, 0, pcs, 3, &overflowed);

	assert_int_not_equal(node, 0);
	assert_int_equal(tree_path(&tree, 0, pcs, 3, &overflowed), node);
	assert_int_equal(node_at(node)->pc, 0x4003);
	assert_int_equal(node_at(node_at(node)->parent)->pc, 0x4002);
	assert_int_equal(node_at(node_at(node_at(node)->parent)->parent)->parent, 0);
	assert_false(overflowed);
}

TEST(stacks_share_their_outer_frames_only)
{
	uint64_t one[] = { 0x4003, 0x4002, 0x4001 }, two[] = { 0x4003, 0x4009, 0x4001 };
	bool overflowed = false;
	uint32_t a = tree_path(&tree, 0, one, 3, &overflowed);
	uint32_t b = tree_path(&tree, 0, two, 3, &overflowed);
	uint32_t root = tree_path(&tree, 0, one + 2, 1, &overflowed);

	assert_int_not_equal(a, b);
	assert_int_equal(node_at(node_at(a)->parent)->parent, root);
	assert_int_equal(node_at(node_at(b)->parent)->parent, root);
	assert_int_equal(tree_path(&tree, 0, one, 3, &overflowed), a);
}

TEST(a_stack_that_was_cut_has_its_reason_outermost)
{
	uint64_t pcs[] = { 0x4002, 0x4001 };
	bool overflowed = false;
	uint32_t whole = tree_path(&tree, 0, pcs, 2, &overflowed);
	uint32_t cut = tree_path(&tree, SPOOL_PC_TRUNCATED, pcs, 2, &overflowed);

	assert_int_not_equal(whole, cut);
	assert_int_equal(node_at(node_at(node_at(cut)->parent)->parent)->pc, SPOOL_PC_TRUNCATED);
}

TEST(random_stacks_agree_with_a_slow_search)
{
	uint32_t node_of[4096] = { 0 };
	bool overflowed = false;

	srand(1);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned number = (unsigned)rand() % 4096;
		/* three digits of base 16, outermost first: 4096 stacks over 4368 nodes */
		uint64_t pcs[] = { 0x10000 + number % 16, 0x20000 + number / 16 % 16,
				   0x30000 + number / 256 };
		uint32_t node = tree_path(&tree, 0, pcs, 3, &overflowed);

		if (overflowed)
			break; /* the small spool may be full by now */
		if (node_of[number])
			assert_int_equal(node, node_of[number]);
		node_of[number] = node;
		assert_int_equal(node_at(node)->pc, pcs[0]);
		assert_int_equal(node_at(node_at(node)->parent)->pc, pcs[1]);
	}
}

TEST(a_full_spool_counts_in_overflow_nodes_under_the_known_caller)
{
	uint64_t sum = 0;
	unsigned nodes, overflows = 0;

	for (unsigned i = 0; i < 40000; i++) {
		uint64_t pcs[] = { 0x100000 + i, 0x5000 };
		bool overflowed = false;
		uint32_t node = tree_path(&tree, 0, pcs, 2, &overflowed);

		assert_int_not_equal(node, 0);
		if (overflowed) {
			assert_int_equal(node_at(node)->pc, SPOOL_PC_OVERFLOW);
			assert_int_equal(node_at(node_at(node)->parent)->pc, 0x5000);
			overflows++;
		}
		tree_weigh(&tree, node, 0, 1, 1000);
		sum++;
	}
	assert_true(overflows > 1000);
	assert_int_equal(sum_of(first[0], 0, &nodes), sum);
	assert_true(spool_own.header->used_bytes <= SIZE_BYTES);
}

/* A file system that is full gives no reserve either: nothing behind used_bytes is there. */
TEST(without_any_chunk_left_each_sample_still_has_a_node)
{
	const uint64_t samples = 10000;
	unsigned nodes;

	for (uint64_t i = 0; i < samples; i++) {
		uint64_t pcs[] = { 0x400000 + i, 0x500000 + i };
		bool overflowed = false;
		uint32_t node = tree_path(&tree, 0, pcs, 2, &overflowed);

		if (i == 10)
			spool_own.size_bytes = spool_own.header->used_bytes;
		assert_int_not_equal(node, 0);
		tree_weigh(&tree, node, 0, 1, 1);
		if (i > samples / 2)
			assert_true(overflowed);
	}
	spool_own.size_bytes = SIZE_BYTES;
	assert_int_equal(sum_of(first[0], 0, &nodes), samples);
}

TEST(a_merge_moves_every_weight_and_gives_the_chunks_back)
{
	uint64_t lost = 0, before;
	unsigned nodes, merged;
	bool overflowed = false;

	for (unsigned i = 0; i < 3000; i++) {
		uint64_t pcs[] = { 0x7000 + i % 500, 0x6000 + i % 7, 0x5000 };
		struct tree *to = i % 3 ? &tree : &other;

		tree_weigh(to, tree_path(to, 0, pcs, 3, &overflowed), i % 2, 1, 10);
	}
	before = sum_of(first[0], 0, &nodes) + sum_of(first[1], 0, &nodes);
	tree_merge(&tree, &other, &lost);
	assert_int_equal(lost, 0);
	assert_int_equal(first[1], 0);
	assert_int_equal(sum_of(first[0], 0, &merged), before);
	assert_int_equal(sum_of(first[0], 0, &nodes) + sum_of(first[0], 1, &nodes), 3000);
	before = spool_own.header->used_bytes;
	tree_start(&other, &spool_own, NULL, &first[1]);
	tree_path(&other, 0, (uint64_t[]){ 1 << 20 }, 1, &overflowed);
	assert_int_equal(spool_own.header->used_bytes, before); /* from what was given back */
}

TEST(ten_thousand_merges_of_the_same_stacks_grow_nothing)
{
	uint64_t lost = 0, used = 0;
	unsigned nodes;

	for (unsigned i = 0; i < 10000; i++) {
		bool overflowed = false;

		for (uint64_t leaf = 0; leaf < 10; leaf++) {
			uint64_t pcs[] = { 0x7000 + leaf, 0x5000 };

			tree_weigh(&other, tree_path(&other, 0, pcs, 2, &overflowed), 0, 1, 1);
		}
		tree_merge(&tree, &other, &lost);
		tree_start(&other, &spool_own, NULL, &first[1]);
		if (i == 10)
			used = spool_own.header->used_bytes;
	}
	assert_int_equal(spool_own.header->used_bytes, used);
	assert_int_equal(sum_of(first[0], 0, &nodes), 100000);
	assert_int_equal(nodes, 11);
}

/*
 * As many samples as in a day, and ten million ever-new stacks, are put into a spool in the
 * handler's way.  The memory that they need is bounded, and none is lost.
 *   bound_tree day|new SAMPLES MEGABYTES
 */
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/tree/tree.h"
#include "tests/support/libc.h"

#define DEPTH	30
#define STACKS	5000 /* of a large program */
#define COUNTED 1

static struct spool_alloc spool;
static struct tree tree;
static struct tree_step memo[DEPTH + 1];
static _Atomic uint64_t first;

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return *state >> 33;
}

/* Leaf first.  Stacks of one program share their outer frames. */
static unsigned known_stack(uint64_t number, uint64_t *pcs)
{
	unsigned depth = 10 + (unsigned)(number % (DEPTH - 10));

	for (unsigned i = 0; i < depth; i++)
		pcs[depth - 1 - i] = 0x400000 + i * 4096 + (number >> (i < 8 ? 9 : 0)) % 64 * 16;
	pcs[0] = 0x900000 + number * 16;
	return depth;
}

static unsigned new_stack(uint64_t *random, uint64_t *pcs)
{
	for (unsigned i = 0; i < DEPTH; i++)
		pcs[i] = 0x400000 + next_random(random) % 0x10000000;
	return DEPTH;
}

static uint64_t sum_of_tree(uint64_t *overflow)
{
	uint64_t sum = 0;

	for (uint64_t offset = first; offset;) {
		const struct spool_chunk *chunk = spool_alloc_at(&spool, offset);
		const char *entries = (const char *)chunk + SPOOL_CHUNK_HEAD;

		for (uint32_t i = 0; i < chunk->count; i++) {
			const struct spool_node *node =
				(const void *)(entries + (size_t)i * spool.header->node_bytes);

			sum += node->weight[0].samples;
			if (node->pc == SPOOL_PC_OVERFLOW)
				*overflow += node->weight[0].samples;
		}
		offset = chunk->next;
	}
	return sum;
}

int main(int argc, char **argv)
{
	char directory[] = "/dev/shm/flametrap-bound-XXXXXX";
	bool day = argc > 1 && !strcmp(argv[1], "day");
	uint64_t samples = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
	uint64_t bytes = (argc > 3 ? strtoull(argv[3], NULL, 10) : 64) << 20;
	uint64_t random = 1, overflow = 0, none = 0, sum;
	uint64_t pcs[DEPTH];

	if (!mkdtemp(directory) || spool_alloc_create(&spool, directory, bytes, 1, 1))
		return 1;
	spool.header->counter_count = COUNTED;
	spool.header->node_bytes =
		sizeof(struct spool_node) + COUNTED * sizeof(struct spool_weight);
	tree.path = memo;
	tree.path_max = DEPTH + 1;
	tree_start(&tree, &spool, NULL, &first);
	for (uint64_t i = 0; i < samples; i++) {
		unsigned depth = day ? known_stack(next_random(&random) % STACKS, pcs)
				     : new_stack(&random, pcs);
		bool overflowed = false;
		uint32_t node = tree_path(&tree, 0, pcs, depth, &overflowed);

		if (node)
			tree_weigh(&tree, node, 0, 1, 1000000);
		else
			none++;
	}
	sum = sum_of_tree(&overflow);
	printf("samples %lu in_tree %lu overflow %lu none %lu used_bytes %lu bound_bytes %lu\n",
	       samples, sum, overflow, none, (uint64_t)spool.header->used_bytes, bytes);
	spool_alloc_unlink(&spool);
	remove(directory);
	return 0;
}

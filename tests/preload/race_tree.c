/*
 * Under ThreadSanitizer: two writers grow their trees from one spool while a reader follows both
 * by the links that a reader of the spool follows.  Then two writers merge and give chunks back.
 * Then two writers add functions of an interpreter, which the reader finds with their texts.
 * Two things must hold for the reader at every moment: a node's parent was there before the node,
 * and sums never shrink.  A function has one number.
 *   race_tree ROUNDS
 */
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/store/script_table.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/tree/tree.h"
#include "tests/support/libc.h"

#define DEPTH	   10
#define WRITERS	   2
#define FUNCTIONS  500
#define ADDRESSES  3000 /* at which these are made again */
#define SIZE_BYTES (8UL << 20)

/* ThreadSanitizer must see memory come and go: through libc, instead of by number. */
int __wrap_sys_mmap_at(void *wish, void **address, size_t bytes, int protection, int flags, int fd);
int __wrap_sys_munmap(void *address, size_t bytes);

int __wrap_sys_mmap_at(void *wish, void **address, size_t bytes, int protection, int flags, int fd)
{
	void *memory = mmap(wish, bytes, protection, flags, fd, 0);

	*address = memory;
	return memory == MAP_FAILED ? -errno : 0;
}

int __wrap_sys_munmap(void *address, size_t bytes)
{
	return munmap(address, bytes) ? -errno : 0;
}

static struct spool_alloc spool;
static _Atomic unsigned running;
static _Atomic bool failed;
static unsigned rounds;
static uint64_t nodes_read, walks;

static struct writer {
	struct tree tree;
	struct tree_step memo[DEPTH];
	_Atomic uint64_t first;
	struct tree merged;
	struct tree_step merged_memo[DEPTH];
	_Atomic uint64_t merged_first;
	uint64_t sum;
	unsigned seed;
} writers[WRITERS];

static void check(bool right, const char *what)
{
	if (!right && !atomic_exchange(&failed, true))
		fprintf(stderr, "not so: %s\n", what);
}

static uint32_t random_path(struct writer *writer)
{
	unsigned depth = 1 + (unsigned)rand_r(&writer->seed) % (DEPTH - 1);
	bool overflowed = false;
	uint64_t pcs[DEPTH];

	for (unsigned i = 0; i < depth; i++)
		pcs[i] = 0x400000 + (uint64_t)(rand_r(&writer->seed) % 3) * 16 + i * 4096;
	return tree_path(&writer->tree, 0, pcs, depth, &overflowed);
}

static void *write_tree(void *context)
{
	struct writer *writer = context;

	for (unsigned i = 0; i < rounds; i++) {
		uint32_t node = random_path(writer);

		check(node != 0, "a sample has a node");
		tree_weigh(&writer->tree, node, 0, 1, 1000);
		writer->sum++;
	}
	atomic_fetch_sub(&running, 1);
	return NULL;
}

static uint64_t read_chunk(const struct spool_chunk *chunk)
{
	uint32_t count = atomic_load_explicit(&chunk->count, memory_order_acquire);
	const char *entries = (const char *)chunk + SPOOL_CHUNK_HEAD;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct spool_node *node =
			(const void *)(entries + (size_t)i * spool.header->node_bytes);
		const struct spool_node *parent =
			spool_alloc_at(&spool, (uint64_t)node->parent * SPOOL_NODE_UNIT);

		check(node->pc >= 0x400000 || node->pc == SPOOL_PC_OVERFLOW, "a node has its pc");
		check(!node->parent || parent->pc >= 0x400000, "a node's parent was there before");
		sum += atomic_load_explicit(&node->weight[0].samples, memory_order_relaxed);
		nodes_read++;
	}
	return sum;
}

static uint64_t read_all(const struct writer *writer)
{
	uint64_t offset = atomic_load_explicit(&writer->first, memory_order_acquire);
	uint64_t sum = 0;

	while (offset) {
		const struct spool_chunk *chunk = spool_alloc_at(&spool, offset);

		sum += read_chunk(chunk);
		offset = atomic_load_explicit(&chunk->next, memory_order_acquire);
	}
	return sum;
}

static void *read_trees(void *unused)
{
	uint64_t before[WRITERS] = { 0 };

	while (atomic_load(&running))
		for (unsigned i = 0; i < WRITERS; i++) {
			uint64_t sum = read_all(&writers[i]);

			check(sum >= before[i], "sums never shrink");
			before[i] = sum;
			walks++;
		}
	return unused;
}

static void *merge_trees(void *context)
{
	struct writer *writer = context;
	uint64_t lost = 0;

	for (unsigned i = 0; i < rounds / 100; i++) {
		for (unsigned j = 0; j < 50; j++) {
			tree_weigh(&writer->tree, random_path(writer), 0, 1, 1);
			writer->sum++;
		}
		tree_merge(&writer->merged, &writer->tree, &lost);
		tree_start(&writer->tree, &spool, NULL, &writer->first);
	}
	check(lost == 0, "nothing was lost");
	return NULL;
}

static void *write_codes(void *context)
{
	static _Atomic uint32_t numbers[FUNCTIONS];
	static const char name[] = "a name of a function";
	struct writer *writer = context;

	for (unsigned i = 0; i < rounds; i++) {
		uint64_t address = 1 + (uint64_t)rand_r(&writer->seed) % ADDRESSES;
		unsigned which = (unsigned)(address % FUNCTIONS);
		struct code_key key = { .address = address };
		struct script_new code = {
			.first_line = which,
			.name = { (uint64_t)(uintptr_t)name, 2 + which % 10, CODE_LATIN1 },
		};
		uint32_t number = script_table_find(&key), none = 0;

		if (!number)
			number = script_table_add(&key, &code);
		if (number && !atomic_compare_exchange_strong(&numbers[which], &none, number))
			check(none == number, "a function has one number");
	}
	atomic_fetch_sub(&running, 1);
	return NULL;
}

static uint64_t count_texts(void)
{
	uint64_t offset = atomic_load_explicit(&spool.header->first_text, memory_order_acquire);
	uint64_t bytes = 0;

	while (offset) {
		const struct spool_chunk *chunk = spool_alloc_at(&spool, offset);

		bytes += atomic_load_explicit(&chunk->count, memory_order_acquire);
		offset = atomic_load_explicit(&chunk->next, memory_order_acquire);
	}
	return bytes;
}

static void *read_codes(void *unused)
{
	while (atomic_load(&running)) {
		uint64_t offset =
			atomic_load_explicit(&spool.header->first_code, memory_order_acquire);

		while (offset) {
			const struct spool_chunk *chunk = spool_alloc_at(&spool, offset);
			const struct spool_code *code =
				(const void *)((const char *)chunk + SPOOL_CHUNK_HEAD);
			uint32_t count = atomic_load_explicit(&chunk->count, memory_order_acquire);
			uint64_t texts = count_texts();

			for (uint32_t i = 0; i < count; i++)
				check(code[i].name.at + code[i].name.bytes <= texts,
				      "a function's texts were there before");
			offset = atomic_load_explicit(&chunk->next, memory_order_acquire);
		}
	}
	return unused;
}

static void start_writer(struct writer *writer, unsigned seed)
{
	writer->seed = seed;
	writer->tree.path = writer->memo;
	writer->merged.path = writer->merged_memo;
	writer->tree.path_max = writer->merged.path_max = DEPTH;
	tree_start(&writer->tree, &spool, NULL, &writer->first);
	tree_start(&writer->merged, &spool, NULL, &writer->merged_first);
}

static void run(void *(*work)(void *), void *(*read)(void *))
{
	pthread_t threads[WRITERS + 1];

	atomic_store(&running, WRITERS);
	for (unsigned i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, work, &writers[i]);
	if (read)
		pthread_create(&threads[WRITERS], NULL, read, NULL);
	for (unsigned i = 0; i < WRITERS + (read ? 1u : 0u); i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	char directory[] = "/tmp/flametrap-race-XXXXXX";

	rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 10000;
	if (!mkdtemp(directory) || spool_alloc_create(&spool, directory, SIZE_BYTES, 1, 1))
		return 1;
	memory_start();
	script_table_start(&spool);
	spool.header->counter_count = 1;
	spool.header->node_bytes = sizeof(struct spool_node) + sizeof(struct spool_weight);
	for (unsigned i = 0; i < WRITERS; i++)
		start_writer(&writers[i], i + 1);
	run(write_tree, read_trees);
	for (unsigned i = 0; i < WRITERS; i++)
		check(read_all(&writers[i]) == writers[i].sum, "every sample is in the tree");
	run(merge_trees, NULL);
	run(write_codes, read_codes);
	spool_alloc_unlink(&spool);
	remove(directory);
	printf("%lu nodes read in %lu walks\n", nodes_read, walks);
	puts(failed ? "wrong" : "ok");
	return failed;
}

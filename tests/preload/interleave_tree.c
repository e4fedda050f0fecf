/*
 * The unchanged writers of the spool and its reader, in every order of their steps that a bounded
 * number of preemptions allows.  Threads are coroutines.  Another one may go on at each atomic
 * operation of a writer and at each part of a file that the reader gets.  (For the effects of
 * weaker memory order, race_tree runs under ThreadSanitizer.)
 *   interleave_tree publish|codes|reuse|chunks PREEMPTIONS
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/fold/spool/spool_read.h"
#include "runtime/sample/spool/code_table.h"
#include "runtime/sample/spool/log.h"
#include "runtime/sample/spool/thread_slot.h"
#include "runtime/sample/spool/spool_alloc.h"
#include "runtime/sample/spool/tree.h"

#define THREADS	    2
#define STACK_BYTES 65536
#define SWITCHES    8
#define PART_BYTES  2048
#define USED_CHUNKS 24 /* of the spool that a round may write to */
#define SPOOL_BYTES (64UL * SPOOL_CHUNK_BYTES)
#define FRAMES	    12
#define FUNCTIONS   4	 /* of an interpreter */
#define TABLE_BYTES 3000 /* some need a part of the next chunk */

/* Threads, and the scheduler.  A round takes the steps of one thread until it ends or the next
 * switch is due. */
static struct {
	ucontext_t context;
	_Alignas(64) char stack[STACK_BYTES];
	bool done;
} threads[THREADS];
static ucontext_t scheduler;
static unsigned current, steps, switch_at[SWITCHES], switches;
static bool running;
static unsigned long rounds;
static const volatile char *swept;

struct scene {
	const char *name;
	unsigned writers; /* what a single one loads, it has stored itself */
	void (*run[THREADS])(void);
};
static const struct scene *scene;

static struct spool_alloc spool;
static struct tree trees[2];
static struct log logs[2];
static struct labels labels[2];
static struct tree_step memo[2][FRAMES + 1];
static uint64_t written, before_reading, after_writing;
static int spool_fd = -1;
static const char *wrong;

static void check(bool right, const char *what)
{
	if (!right && !wrong)
		wrong = what;
}

/* Another thread's turn, if it is due. */
static void point(void)
{
	unsigned step = steps++;

	for (unsigned i = 0; i < switches; i++)
		if (switch_at[i] == step && !threads[!current].done) {
			unsigned from = current;

			current = !current;
			swapcontext(&threads[from].context, &threads[current].context);
			return;
		}
}

void interleave_store(const volatile void *word)
{
	const volatile char *at = word;
	bool sweep = at == swept + 8 && (uintptr_t)at % 1024 != 0;

	swept = at;
	if (running && !sweep)
		point();
}

void interleave_load(const volatile void *word)
{
	(void)word;
	if (running && scene->writers > 1)
		point();
}

/* The reader's view of the file: piece by piece. */
ssize_t __real_pread(int fd, void *into, size_t bytes, off_t offset);
ssize_t __wrap_pread(int fd, void *into, size_t bytes, off_t offset);

ssize_t __wrap_pread(int fd, void *into, size_t bytes, off_t offset)
{
	if (!running || fd != spool_fd)
		return __real_pread(fd, into, bytes, offset);
	point();
	return __real_pread(fd, into, bytes > PART_BYTES ? PART_BYTES : bytes, offset);
}

static void weigh(unsigned which, const uint64_t *pcs, unsigned depth)
{
	bool overflowed = false;
	uint32_t node = tree_path(&trees[which], 0, pcs, depth, &overflowed);

	check(node && !overflowed, "a sample has a node");
	written++;
	tree_weigh(&trees[which], node, 0, 1, 1000);
}

static void insert(unsigned which, uint64_t first_pc, unsigned depth)
{
	uint64_t pcs[FRAMES];

	for (unsigned i = 0; i < depth; i++)
		pcs[i] = 0x400000 + (i ? i : first_pc) * 16;
	weigh(which, pcs, depth);
}

static struct spool_thread *begin(unsigned which, uint32_t tid)
{
	static const char name[16] = "thread";
	struct spool_thread *slot = thread_slot_take(tid, name, tid);

	trees[which].path = memo[which];
	trees[which].path_max = FRAMES + 1;
	tree_start(&trees[which], &spool, NULL, &slot->first_chunk);
	log_start(&logs[which], &spool, slot, &labels[which]);
	return slot;
}

/* The table of a function is full of its number. */
static bool is_function(const struct spool_read *seen, uint64_t pc)
{
	uint32_t number = spool_code_of(pc);
	const struct spool_code *code = &seen->codes[number - 1];

	if (!spool_code_is(pc) || !number || number > seen->code_count ||
	    code->first_line != number || code->table.bytes != TABLE_BYTES)
		return false;
	for (uint32_t i = 0; i < TABLE_BYTES; i++)
		if (seen->texts[code->table.at + i] != (char)number)
			return false;
	return true;
}

/* At any moment a reader sees a sound spool, and no sample of a living thread is missing. */
static void read_spool(bool merging)
{
	struct spool_read seen;
	char line[256];
	uint64_t sum = 0;
	int damaged;

	before_reading = written;
	damaged = spool_read_fd(spool_fd, "spool", &seen, line, sizeof(line));
	after_writing = written;
	check(damaged == 0, "a living spool is not damaged");
	for (size_t i = 0; !damaged && i < seen.thread_count; i++) {
		const struct spool_read_thread *thread = &seen.threads[i];

		check(!strcmp(thread->name, "thread"), "a thread has its name");
		for (size_t j = 0; j < thread->node_count; j++) {
			uint64_t pc = thread->nodes[j].pc;

			check((pc >= 0x400000 && pc < 0x401000) || is_function(&seen, pc),
			      "a node has its address or function");
			sum += thread->weights[j * SPOOL_COUNTERS_MAX].samples;
		}
	}
	/* A sample is counted before its weight is; a tree that is merged may be seen twice, or,
	 * moved behind the reader's back, not at all. */
	check(sum <= after_writing * (merging ? 2 : 1), "no sample is made up");
	check(merging || sum + 1 >= before_reading, "no sample is missing");
	if (!damaged)
		spool_read_free(&seen);
}

static void write_publish(void)
{
	begin(0, 1);
	insert(0, 100, 4);
	insert(0, 101, 9); /* 16 counters: 29 nodes in a chunk */
	for (uint64_t pc = 110; pc < 130; pc++)
		insert(0, pc, 2);
}

static void write_codes(void)
{
	static char tables[FUNCTIONS][TABLE_BYTES];

	begin(0, 1);
	for (uint32_t i = 1; i <= FUNCTIONS; i++) {
		char *table = memset(tables[i - 1], (int)i, TABLE_BYTES);
		struct code_key key = { .address = i };
		struct code_new code = {
			.first_line = i,
			.name = { (uint64_t)(uintptr_t) "name", 4, CODE_BYTES },
			.table = { (uint64_t)(uintptr_t)table, TABLE_BYTES, CODE_BYTES },
		};
		uint64_t pcs[] = { spool_code_pc(code_table_add(&key, &code), 0), 0x400000 };

		weigh(0, pcs, 2);
	}
}

static void read_twice(void)
{
	read_spool(false);
	read_spool(false);
}

/* A thread ends, is merged, and another gets its slot and its chunks. */
static void write_reuse(void)
{
	struct spool_thread *slot = begin(0, 1);

	insert(0, 100, 5);
	insert(0, 101, 3);
	thread_slot_end(slot, &trees[0], &logs[0], 2);
	slot = begin(0, 3);
	insert(0, 102, 6);
	thread_slot_end(slot, &trees[0], &logs[0], 4);
}

static void read_reuse(void)
{
	read_spool(true);
}

/* Chunks taken and given back: no other thread has them meanwhile, and they are empty. */
static void take_and_give(void)
{
	unsigned self = current;

	for (unsigned i = 0; i < 2; i++) {
		struct spool_chunk *first = spool_alloc_take(&spool, SPOOL_CHUNK_NODES, false);
		struct spool_chunk *second = spool_alloc_take(&spool, SPOOL_CHUNK_NODES, false);

		check(first && second && first != second, "chunks are there");
		check(!first->count && !second->count && !first->next && !second->next,
		      "a chunk is empty");
		first->count = second->count = self + 1;
		point();
		check(first->count == self + 1 && second->count == self + 1,
		      "a chunk is its owner's");
		spool_alloc_give(&spool, first);
		spool_alloc_give(&spool, second);
	}
}

static const struct scene scenes[] = {
	{ "publish", 1, { write_publish, read_twice } },
	{ "codes", 1, { write_codes, read_twice } },
	{ "reuse", 1, { write_reuse, read_reuse } },
	{ "chunks", 2, { take_and_give, take_and_give } },
	{ NULL, 0, { NULL, NULL } },
};

static void start(void)
{
	scene->run[current]();
	threads[current].done = true;
}

static void reset(void)
{
	struct spool_header *header = spool.header;

	memset((char *)header + SPOOL_HEADER_CHUNKS * SPOOL_CHUNK_BYTES, 0,
	       (USED_CHUNKS - SPOOL_HEADER_CHUNKS) * SPOOL_CHUNK_BYTES);
	header->used_bytes = SPOOL_HEADER_CHUNKS * SPOOL_CHUNK_BYTES;
	header->first_thread = header->first_code = header->first_text = 0;
	spool.free_list = 0;
	thread_slot_reset();
	code_table_start(&spool);
	tree_free(&trees[0]);
	tree_free(&trees[1]);
	memset(trees, 0, sizeof(trees));
	written = steps = 0;
	swept = NULL;
}

/* One round.  Returns how many points it had. */
static unsigned round_of(unsigned count)
{
	reset();
	rounds++;
	switches = count;
	for (unsigned i = 0; i < THREADS; i++) {
		threads[i].done = false;
		getcontext(&threads[i].context);
		threads[i].context.uc_stack.ss_sp = threads[i].stack;
		threads[i].context.uc_stack.ss_size = STACK_BYTES;
		threads[i].context.uc_link = &scheduler;
		makecontext(&threads[i].context, start, 0);
	}
	running = true;
	for (current = 0; current < THREADS; current++)
		while (!threads[current].done) {
			unsigned begun = current;

			swapcontext(&scheduler, &threads[current].context);
			current = begun; /* whoever ended, this one's turn comes */
		}
	running = false;
	return steps;
}

/* Every choice of further switches behind those there are. */
static void explore(unsigned count, unsigned most)
{
	unsigned points = round_of(count);

	if (wrong) {
		printf("not so: %s; switches at", wrong);
		for (unsigned i = 0; i < count; i++)
			printf(" %u", switch_at[i]);
		puts("");
		exit(1);
	}
	for (unsigned at = count ? switch_at[count - 1] + 1 : 0; count < most && at < points;
	     at++) {
		switch_at[count] = at;
		explore(count + 1, most);
	}
}

static int open_spool(void)
{
	char directory[] = "/tmp/flametrap-interleave-XXXXXX";
	struct spool_header *header;
	char line[256];

	if (!mkdtemp(directory) || spool_alloc_create(&spool, directory, SPOOL_BYTES, 1, 1))
		return 1;
	thread_slot_start(&spool, false);
	header = spool.header;
	*header = (struct spool_header){
		.version = SPOOL_VERSION,
		.header_bytes = sizeof(struct spool_header),
		.thread_bytes = sizeof(struct spool_thread),
		.module_bytes = sizeof(struct spool_module),
		.counter_count = SPOOL_COUNTERS_MAX,
		.node_bytes = sizeof(struct spool_node) +
			      SPOOL_COUNTERS_MAX * sizeof(struct spool_weight),
		.size_bytes = SPOOL_BYTES,
		.state = SPOOL_RUNNING,
		.magic = SPOOL_MAGIC,
	};
	if (spool_read_open(spool.path, &spool_fd, line, sizeof(line)))
		puts(line);
	spool_alloc_unlink(&spool);
	rmdir(directory);
	return spool_fd < 0;
}

int main(int argc, char **argv)
{
	unsigned most = argc > 2 ? (unsigned)atoi(argv[2]) : 1;

	for (const struct scene *one = scenes; argc > 1 && one->name; one++)
		if (!strcmp(argv[1], one->name))
			scene = one;
	if (!scene || most > SWITCHES || open_spool())
		return 2;
	explore(0, most);
	printf("rounds %lu points %u\n", rounds, round_of(0));
	puts("ok");
	return 0;
}

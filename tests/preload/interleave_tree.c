/*
 * The unchanged writers of the spool and its reader, in every order of their steps that a bounded
 * number of preemptions allows.  Threads are coroutines.  Another one may go on at each atomic
 * operation of a writer and at each part of a file that the reader gets.  (For the effects of
 * weaker memory order, race_tree runs under ThreadSanitizer.)
 *   interleave_tree publish|codes|reuse|chunks|log PREEMPTIONS
 */
#include <sys/types.h>

#include "runtime/profile/spool/spool_read.h"
#include "runtime/sample/store/script_table.h"
#include "runtime/sample/log/log.h"
#include "runtime/sample/log/log_budget.h"
#include "runtime/sample/tree/thread_slot.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/tree/tree.h"
#include "tests/preload/interleave_turns.h"
#include "tests/support/libc.h"

#define PART_BYTES  2048
#define USED_CHUNKS 24 /* of the spool that a round may write to */
#define SPOOL_BYTES (64UL * SPOOL_CHUNK_BYTES)
#define FRAMES	    12
#define LOG_SAMPLES 14
#define FUNCTIONS   4	 /* of an interpreter */
#define TABLE_BYTES 3000 /* some need a part of the next chunk */

static struct spool_alloc spool;
static struct tree trees[2];
static struct log logs[2];
static struct labels labels[2];
static struct tree_step memo[2][FRAMES + 1];
static const struct turns_scene *scene;
static bool moved; /* the thread of the log has ended */
static uint64_t written, before_reading, after_writing;
static int spool_fd = -1;
/* The reader's view of the file: piece by piece. */
ssize_t __real_pread(int fd, void *into, size_t bytes, off_t offset);
ssize_t __wrap_pread(int fd, void *into, size_t bytes, off_t offset);

ssize_t __wrap_pread(int fd, void *into, size_t bytes, off_t offset)
{
	if (!turns_are_running() || fd != spool_fd)
		return __real_pread(fd, into, bytes, offset);
	turns_point();
	return __real_pread(fd, into, bytes > PART_BYTES ? PART_BYTES : bytes, offset);
}

static void weigh(unsigned which, const uint64_t *pcs, unsigned depth)
{
	bool overflowed = false;
	uint32_t node = tree_path(&trees[which], 0, pcs, depth, &overflowed);

	turns_check(node && !overflowed, "a sample has a node");
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
	turns_check(damaged == 0, "a living spool is not damaged");
	for (size_t i = 0; !damaged && i < seen.thread_count; i++) {
		const struct spool_read_thread *thread = &seen.threads[i];

		turns_check(!strcmp(thread->name, "thread"), "a thread has its name");
		for (size_t j = 0; j < thread->node_count; j++) {
			uint64_t pc = thread->nodes[j].pc;

			turns_check((pc >= 0x400000 && pc < 0x401000) || is_function(&seen, pc),
				    "a node has its address or function");
			sum += thread->weights[j * SPOOL_COUNTERS_MAX].samples;
		}
	}
	/* A sample is counted before its weight is; a tree that is merged may be seen twice, or,
	 * moved behind the reader's back, not at all. */
	turns_check(sum <= after_writing * (merging ? 2 : 1), "no sample is made up");
	turns_check(merging || sum + 1 >= before_reading, "no sample is missing");
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
		struct script_new code = {
			.first_line = i,
			.name = { (uint64_t)(uintptr_t) "name", 4, CODE_BYTES },
			.table = { (uint64_t)(uintptr_t)table, TABLE_BYTES, CODE_BYTES },
		};
		uint64_t pcs[] = { spool_code_pc(script_table_add(&key, &code), 0), 0x400000 };

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
	thread_slot_end(slot, &trees[0], &logs[0], 2, NULL);
	slot = begin(0, 3);
	insert(0, 102, 6);
	thread_slot_end(slot, &trees[0], &logs[0], 4, NULL);
}

static void read_reuse(void)
{
	read_spool(true);
}

/* Chunks taken and given back: no other thread has them meanwhile, and they are empty. */
static void take_and_give(void)
{
	unsigned self = turns_current();

	for (unsigned i = 0; i < 2; i++) {
		struct spool_chunk *first = spool_alloc_take(&spool, SPOOL_CHUNK_NODES, false);
		struct spool_chunk *second = spool_alloc_take(&spool, SPOOL_CHUNK_NODES, false);

		turns_check(first && second && first != second, "chunks are there");
		turns_check(!first->count && !second->count && !first->next && !second->next,
			    "a chunk is empty");
		first->count = second->count = self + 1;
		turns_point();
		turns_check(first->count == self + 1 && second->count == self + 1,
			    "a chunk is its owner's");
		spool_alloc_give(&spool, first);
		spool_alloc_give(&spool, second);
	}
}

/* The log of a thread that is thinned all the time, with chunks of few entries. */
static void write_log(void)
{
	struct spool_thread *slot = begin(0, 1);
	bool overflowed = false;
	uint64_t pc = 0x400000;
	struct log_sample sample = { .samples = 1, .events = 1000 };

	sample.node = tree_path(&trees[0], 0, &pc, 1, &overflowed);
	logs[0].full = 4;
	for (sample.time_ns = 1; sample.time_ns < LOG_SAMPLES; sample.time_ns++) {
		log_add(&logs[0], &sample);
		written++;
	}
	thread_slot_end(slot, &trees[0], &logs[0], LOG_SAMPLES, NULL);
	moved = true;
}

/* Sums are right at any time; what is moved may be seen twice, or, behind the reader, not at all.
 */
static void read_log(void)
{
	uint64_t before = written, sum = 0;
	bool was_moved = moved;
	struct spool_read seen;
	char line[256];
	int damaged = spool_read_timed_fd(spool_fd, "spool", &seen, line, sizeof(line));
	bool living = written + 1 < LOG_SAMPLES;

	turns_check(damaged == 0, "a living spool is not damaged");
	if (damaged)
		return;
	for (size_t i = 0; i < seen.thread_count; i++)
		for (size_t j = 0; j < seen.threads[i].log.sample_count; j++)
			sum += seen.threads[i].log.samples[j].samples;
	turns_check(sum <= (written + 1) * (living ? 1 : 2), "no sample is made up");
	turns_check((!living && !was_moved) || sum >= before, "no sample is missing");
	spool_read_free(&seen);
}

static const struct turns_scene scenes[] = {
	{ "publish", 1, { write_publish, read_twice } },
	{ "codes", 1, { write_codes, read_twice } },
	{ "reuse", 1, { write_reuse, read_reuse } },
	{ "chunks", 2, { take_and_give, take_and_give } },
	{ "log", 1, { write_log, read_log } },
	{ NULL, 0, { NULL, NULL } },
};

static void reset(void)
{
	struct spool_header *header = spool.header;

	memset((char *)header + SPOOL_HEADER_CHUNKS * SPOOL_CHUNK_BYTES, 0,
	       (USED_CHUNKS - SPOOL_HEADER_CHUNKS) * SPOOL_CHUNK_BYTES);
	header->used_bytes = SPOOL_HEADER_CHUNKS * SPOOL_CHUNK_BYTES;
	header->first_thread = header->first_code = header->first_text = 0;
	spool.free_list = 0;
	thread_slot_reset();
	script_table_start(&spool);
	tree_free(&trees[0]);
	tree_free(&trees[1]);
	memset(trees, 0, sizeof(trees));
	written = 0;
	moved = false;
	header->timeline_bytes = strcmp(scene->name, "log") ? 0 : 4 * SPOOL_CHUNK_BYTES;
	log_budget_start(&spool);
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

	for (const struct turns_scene *one = scenes; argc > 1 && one->name; one++)
		if (!strcmp(argv[1], one->name))
			scene = one;
	if (!scene || most > TURNS_SWITCHES || open_spool())
		return 2;
	return turns_play(scene, reset, most);
}

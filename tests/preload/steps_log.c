/*
 * The log of a thread as it is after each single store of its writer: what a process that is killed
 * there leaves behind.  It must be sound at each of these moments, and complete but for the sample
 * that is being added.  While the log of an ended thread moves, its samples may be there twice.
 *   steps_log
 */
#include "runtime/sample/log/log.h"
#include "runtime/sample/log/log_budget.h"
#include "runtime/sample/tree/thread_slot.h"
#include "runtime/sample/tree/tree.h"
#include "tests/support/log_walk.h"
#include "tests/support/libc.h"

#define START_NS 5000000000ULL
#define CHUNKS	 64
#define DEPTH	 3

static struct spool_alloc spool;
static struct tree tree;
static struct tree_step memo[DEPTH];
static struct log thread_log;
static struct labels labels;
static uint64_t added, looks; /* samples that are complete */
static bool looking, moving;
static const char *wrong;

static uint64_t samples_of_all(struct log_walk *walk)
{
	const struct spool_chunk *chunk =
		spool_alloc_at(&spool, atomic_load(&spool.header->first_thread));
	const struct spool_thread *slot = (const void *)((const char *)chunk + SPOOL_CHUNK_HEAD);

	for (uint32_t count = atomic_load(&chunk->count); count--; slot++)
		if (atomic_load(&slot->state) != SPOOL_THREAD_FREE)
			log_walk(walk, spool.header, atomic_load(&slot->first_log));
	return log_walk_samples(walk, 0, 0);
}

static void look(void)
{
	struct log_walk walk = { 0 };
	uint64_t samples;

	looking = false;
	samples = samples_of_all(&walk);
	free(walk.found);
	if (walk.wrong && !wrong)
		wrong = walk.wrong;
	if (samples < added && !wrong)
		wrong = "a sample is missing";
	if (samples > (moving ? 2 * added : added + 1) && !wrong)
		wrong = "a sample is there twice";
	looks++;
	looking = true;
}

void interleave_load(const volatile void *word);
void interleave_store(const volatile void *word);

void interleave_load(const volatile void *word)
{
	(void)word;
}

/* Words that are cleared one after another in a chunk that nobody can see are of no interest. */
void interleave_store(const volatile void *word)
{
	static const volatile char *last;
	bool sweep = (const volatile char *)word == last + 8;

	last = word;
	if (looking && !sweep)
		look();
}

static struct spool_thread *begin(uint32_t tid)
{
	struct spool_thread *slot = thread_slot_take(tid, "thread", START_NS);

	tree.path = memo;
	tree.path_max = DEPTH;
	tree_start(&tree, &spool, NULL, &slot->first_chunk);
	log_start(&thread_log, &spool, slot, &labels);
	return slot;
}

static void sample(unsigned i)
{
	uint64_t pcs[] = { 0x6000 + i % 3, 0x5000 };
	bool overflowed = false;
	struct log_sample sample = {
		.time_ns = START_NS + i,
		.samples = 1,
		.events = i % 5 ? 100 : 1ULL << 40,
		.node = tree_path(&tree, 0, pcs, 2, &overflowed),
	};

	atomic_store(&labels.set, i / 50);
	looking = true;
	log_add(&thread_log, &sample);
	sample = (struct log_sample){ sample.time_ns, 0, 9, sample.node, 1, true };
	log_add(&thread_log, &sample);
	looking = false;
	added++;
}

static void end(struct spool_thread *slot)
{
	looking = moving = true;
	thread_slot_end(slot, &tree, &thread_log, START_NS + 100000, NULL);
	looking = moving = false;
}

/* So small a timeline that the log is thinned all the time. */
static int start(void)
{
	static char directory[] = "/tmp/flametrap-steps-XXXXXX";

	if (!mkdtemp(directory) ||
	    spool_alloc_create(&spool, directory, CHUNKS * 1UL * SPOOL_CHUNK_BYTES, 1, 1))
		return 1;
	spool.header->counter_count = 2;
	spool.header->node_bytes = sizeof(struct spool_node) + 2 * sizeof(struct spool_weight);
	spool.header->timeline_bytes = 6UL * SPOOL_CHUNK_BYTES;
	log_budget_start(&spool);
	thread_slot_start(&spool, false);
	spool_alloc_unlink(&spool);
	rmdir(directory);
	return 0;
}

int main(void)
{
	if (start())
		return 2;
	for (uint32_t tid = 1; tid < 4 && !wrong; tid++) {
		struct spool_thread *slot = begin(tid);

		for (unsigned i = 0; i < 2500 && !wrong; i++)
			sample(i);
		end(slot);
	}
	look();
	printf("%lu looks\n", (unsigned long)looks);
	puts(wrong ? wrong : "ok");
	return wrong != NULL;
}

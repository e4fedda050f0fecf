/* When a thread ends, its log goes where its tree goes, and adds up to it there.  The sums of ended
 * threads, at the bound of their number and of the spool: a thread is added to one of its own name,
 * or to one that says that it has others. */

#include <stdio.h>
#include <string.h>

#include "runtime/sample/log/log_budget.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/tree/thread_slot.h"
#include "runtime/sample/tree/tree.h"
#include "tests/support/log_made_up.h"
#include "tests/support/unit.h"

#define START_NS  5000000000ULL
#define DEPTH	  4
#define NAMES	  256 /* that are kept apart */
#define OTHERS	  "[others]"
#define SLOTS_MAX 4096

struct made_up {
	struct spool_thread *slot;
	struct tree tree;
	struct tree_step memo[DEPTH];
	struct log log;
	struct labels labels;
};

static struct made_up threads[4];
static bool no_memory;

WRAP(int, sys_mmap_apart, void **address, size_t bytes, int protection, int flags, int fd)
{
	if (no_memory)
		return -12;
	return __real_sys_mmap_apart(address, bytes, protection, flags, fd);
}

static int start(unsigned chunks, unsigned timeline, bool apart)
{
	if (log_made_up(chunks, timeline))
		return -1;
	thread_slot_reset();
	thread_slot_start(&spool_own, apart);
	return 0;
}

static void (*give_way)(void);

UNIT(setup)
{
	memset(threads, 0, sizeof(threads));
	no_memory = false;
	give_way = NULL;
	return start(512, 256, false);
}

UNIT(teardown)
{
	for (unsigned i = 0; i < 4; i++)
		tree_free(&threads[i].tree);
	thread_slot_reset();
	return spool_own_close();
}

static void again(unsigned chunks, unsigned timeline, bool apart)
{
	spool_own_close();
	assert_int_equal(start(chunks, timeline, apart), 0);
}

/* NULL: the spool is full. */
static struct made_up *begin(unsigned which, uint32_t tid, const char *name)
{
	struct made_up *thread = &threads[which];

	thread->slot = thread_slot_take(tid, name, START_NS + tid);
	if (!thread->slot)
		return NULL;
	thread->tree.path = thread->memo;
	thread->tree.path_max = DEPTH;
	atomic_store(&thread->labels.set, 0);
	tree_start(&thread->tree, &spool_own, NULL, &thread->slot->first_chunk);
	log_start(&thread->log, &spool_own, thread->slot, &thread->labels);
	return thread;
}

static void sample(struct made_up *thread, uint64_t pc, uint64_t time_ns, uint64_t events)
{
	uint64_t pcs[] = { pc, 0x5000 };
	bool overflowed = false;
	uint32_t node = tree_path(&thread->tree, 0, pcs, 2, &overflowed);

	tree_weigh(&thread->tree, node, 0, 1, events);
	tree_weigh(&thread->tree, node, 1, 0, 7);
	log_made_up_group(&thread->log, time_ns, node, events, 7);
}

static void end(struct made_up *thread, uint64_t time_ns)
{
	thread_slot_end(thread->slot, &thread->tree, &thread->log, time_ns, give_way);
}

static const struct spool_thread *slots[SLOTS_MAX];

/* Returns how many slots there are, of which each is in slots[]. */
static unsigned find_slots(void)
{
	uint64_t offset = spool_own.header->first_thread;
	const struct spool_thread *slot;
	unsigned found = 0;
	uint32_t count;

	while ((slot = thread_slot_next(&offset, &count)))
		while (count--) {
			assert_true(found < SLOTS_MAX);
			slots[found++] = slot++;
		}
	return found;
}

/* Returns the sum of ended threads of a name; NULL: there is none. */
static const struct spool_thread *slot_of(const char *name)
{
	for (unsigned i = find_slots(); i--;)
		if (slots[i]->state == SPOOL_THREAD_ENDED &&
		    !strncmp((const char *)slots[i]->name, name, sizeof(slots[i]->name)))
			return slots[i];
	return NULL;
}

/* Each node has in the log what it has in the tree. */
static void assert_adds_up(const struct spool_thread *slot)
{
	uint64_t offset = atomic_load(&slot->first_chunk);

	log_made_up_walk(slot);
	while (offset) {
		const struct spool_chunk *chunk = spool_alloc_at(&spool_own, offset);
		uint32_t bytes = spool_own.header->node_bytes;

		for (uint32_t i = 0; i < chunk->count; i++) {
			uint64_t at = offset + SPOOL_CHUNK_HEAD + i * 1UL * bytes;
			const struct spool_node *node = spool_alloc_at(&spool_own, at);
			uint32_t number = (uint32_t)(at / SPOOL_NODE_UNIT);

			assert_int_equal(log_walk_samples(&log_walked, 0, number),
					 node->weight[0].samples);
			assert_int_equal(log_walk_events(&log_walked, 0, number),
					 node->weight[0].events);
			assert_int_equal(log_walk_events(&log_walked, 1, number),
					 node->weight[1].events);
		}
		offset = chunk->next;
	}
}

static uint64_t chunks_of_logs(void)
{
	uint64_t chunks = 0;

	for (unsigned i = find_slots(); i--;) {
		log_made_up_walk(slots[i]);
		chunks += log_walked.chunks;
	}
	return chunks;
}

TEST(the_log_of_an_ended_thread_has_its_nodes_times_and_end)
{
	struct made_up *first = begin(0, 10, "one"), *second;

	for (unsigned i = 0; i < 1500; i++)
		sample(first, 0x6000 + i % 90, START_NS + i, 100 + i);
	second = begin(1, 11, "one");
	for (unsigned i = 0; i < 1500; i++) {
		atomic_store(&second->labels.set, i / 100);
		sample(second, 0x6000 + i % 110, START_NS + i, 100 + i);
	}
	end(first, START_NS + 5000);
	end(second, START_NS + 6000);
	assert_adds_up(slot_of("one"));
	assert_int_equal(log_walk_samples(&log_walked, 0, 0), 3000);
	for (unsigned i = 0; i < 1500; i++) {
		const struct log_found *found = &log_walked.found[2 * i];

		assert_int_equal(found->tid, 10);
		assert_int_equal(found->start_ns, START_NS + 10);
		assert_int_equal(found->time_ns, START_NS + i);
		assert_int_equal(found->labels, 0);
		found += 3001;
		assert_int_equal(found->tid, 11);
		assert_int_equal(found->time_ns, START_NS + i);
		assert_int_equal(found->labels, i / 100);
	}
	assert_int_equal(log_walked.found[3000].kind, SPOOL_LOG_END);
	assert_int_equal(log_walked.found[3000].time_ns, START_NS + 5000);
	assert_int_equal(log_walked.found[6001].kind, SPOOL_LOG_END);
	assert_int_equal(log_walked.found[6001].tid, 11);
}

TEST(a_thread_that_is_kept_apart_keeps_its_log)
{
	struct made_up *thread;

	again(512, 256, true);
	thread = begin(0, 10, "one");
	sample(thread, 0x6000, START_NS, 1);
	end(thread, START_NS + 5);
	assert_adds_up(slot_of("one"));
	assert_int_equal(log_walked.count, 3);
	assert_int_equal(log_walked.found[2].kind, SPOOL_LOG_END);
}

TEST(without_memory_for_a_map_all_is_in_the_overflow_node)
{
	struct made_up *thread = begin(0, 10, "one");

	sample(thread, 0x5fff, START_NS, 1);
	end(thread, START_NS + 1); /* so that the tree of the sum has its index */
	thread = begin(0, 11, "one");
	for (unsigned i = 0; i < 300; i++)
		sample(thread, 0x6000 + i, START_NS + i, 1);
	no_memory = true;
	end(thread, START_NS + 400);
	assert_adds_up(slot_of("one"));
	assert_int_equal(log_walk_samples(&log_walked, 0, 0), 301);
}

TEST(a_thread_without_samples_leaves_nothing)
{
	end(begin(0, 10, "one"), START_NS);
	assert_int_equal(chunks_of_logs(), 0);
}

TEST(ten_thousand_short_threads_take_half_of_the_timeline_at_most)
{
	struct made_up *living;

	again(512, 64, false);
	living = begin(1, 5, "living");
	for (unsigned i = 0; i < 10000; i++) {
		struct made_up *thread = begin(0, 10 + i, i % 3 ? "one" : "two");

		for (unsigned j = 0; j < 7; j++)
			sample(thread, 0x6000 + j, START_NS + i * 100 + j, 1);
		sample(living, 0x6000, START_NS + i * 100, 1);
		end(thread, START_NS + i * 100 + 50);
	}
	log_made_up_walk(living->slot);
	assert_int_equal(log_walk_samples(&log_walked, 0, 0), 10000);
	assert_true(log_walked.chunks >= 20);
	log_made_up_walk(slot_of("one"));
	assert_int_equal(log_walk_samples(&log_walked, 0, 0), 6666 * 7);
	assert_int_equal(log_walk_events(&log_walked, 1, 0), 6666 * 49);
	log_made_up_walk(slot_of("two"));
	assert_int_equal(log_walk_samples(&log_walked, 0, 0), 3334 * 7);
	assert_true(chunks_of_logs() <= 64);
	log_made_up_walk(slot_of("one"));
	assert_true(log_walked.chunks <= 32);
}

TEST(long_threads_that_end_one_after_another_are_thinned_and_add_up)
{
	uint64_t dropped = 0;

	again(512, 32, false);
	for (unsigned i = 0; i < 40; i++) {
		struct made_up *thread = begin(0, 10 + i, i % 2 ? "one" : "two");

		for (unsigned j = 0; j < 6000; j++)
			sample(thread, 0x6000 + j % 10, START_NS + i * 10000 + j, 1);
		end(thread, START_NS + i * 10000 + 9000);
		assert_true(chunks_of_logs() <= 40);
	}
	log_made_up_walk(slot_of("one"));
	assert_int_equal(log_walk_samples(&log_walked, 0, 0), 20 * 6000);
	log_made_up_walk(slot_of("two"));
	assert_int_equal(log_walk_events(&log_walked, 1, 0), 20 * 6000 * 7);
	for (unsigned i = find_slots(); i--;)
		dropped += slots[i]->count[SPOOL_COUNT_LOG_DROPPED];
	assert_int_equal(dropped, 0);
}

static const char *name_of(unsigned number)
{
	static char name[16];

	snprintf(name, sizeof(name), "name %u", number);
	return name;
}

TEST(two_hundred_names_share_a_tiny_timeline)
{
	uint64_t samples = 0, dropped = 0;

	again(512, 8, false);
	for (unsigned i = 0; i < 200; i++) {
		struct made_up *thread = begin(0, 10 + i, name_of(i));

		for (unsigned j = 0; j < 100; j++)
			sample(thread, 0x6000, START_NS + i * 10000 + j, 1);
		end(thread, START_NS + i * 10000 + 9000);
	}
	assert_true(chunks_of_logs() <= 10);
	for (unsigned i = find_slots(); i--;) {
		log_made_up_walk(slots[i]);
		samples += log_walk_samples(&log_walked, 0, 0);
		if (slots[i]->state == SPOOL_THREAD_ENDED)
			dropped += slots[i]->count[SPOOL_COUNT_LOG_DROPPED];
	}
	assert_int_equal(samples + dropped, 200 * 100);
}

static unsigned ways;

/* What other threads may do: one ends, with the same name or another. */
static void end_another(void)
{
	struct made_up *other = begin(1, 1000 + ways, ways % 3 ? "worker" : "other");

	for (unsigned i = 0; i < 20; i++)
		sample(other, 0x7000 + i % 5, START_NS + i, 3);
	give_way = NULL;
	end(other, START_NS + 1000);
	ways++;
}

TEST(other_threads_end_while_a_long_log_is_moved)
{
	struct made_up *thread = begin(0, 1, "worker");

	for (unsigned i = 0; i < 20000; i++)
		sample(thread, 0x1000 + i % 50, START_NS + i, 5);
	assert_true(thread->log.chunks > 40);
	ways = 0;
	give_way = end_another;
	end(thread, START_NS + 30000);
	assert_true(ways > 40);
	assert_adds_up(slot_of("worker"));
	assert_adds_up(slot_of("other"));
}

static void end_with(struct made_up *thread, uint64_t samples)
{
	atomic_store(&thread->slot->count[SPOOL_COUNT_SAMPLES], samples);
	end(thread, START_NS + 1);
}

static void run(unsigned number, uint64_t samples)
{
	end_with(begin(0, 7, name_of(number)), samples);
}

/* Samples of ended threads of a name; UINT64_MAX: there is none. */
static uint64_t samples_of(const char *name)
{
	const struct spool_thread *slot = slot_of(name);

	return slot ? slot->count[SPOOL_COUNT_SAMPLES] : UINT64_MAX;
}

TEST(names_up_to_the_bound_are_kept_apart_and_further_ones_are_others)
{
	for (unsigned i = 0; i < NAMES; i++)
		run(i, i + 1);
	for (unsigned i = 0; i < NAMES; i++)
		assert_int_equal(samples_of(name_of(i)), i + 1);
	assert_int_equal(samples_of(OTHERS), UINT64_MAX);
	for (unsigned i = 0; i < 3; i++)
		run(NAMES + i, 10);
	run(3, 100);
	assert_int_equal(samples_of(OTHERS), NAMES + 30); /* with the last one of its own name */
	assert_int_equal(samples_of(name_of(3)), 104);
	assert_int_equal(samples_of(name_of(NAMES - 2)), NAMES - 1);
	assert_int_equal(samples_of(name_of(NAMES - 1)), UINT64_MAX);
	assert_int_equal(samples_of(name_of(NAMES)), UINT64_MAX);
}

/* The last sum is no longer of one name then. */
TEST(a_full_spool_gives_no_thread_the_name_of_another)
{
	struct made_up *first, *thread;

	again(64, 32, false);
	run(0, 1);
	run(1, 10);
	first = begin(1, 7, "name 0");
	thread = begin(2, 7, "name 2");
	while (begin(3, 7, "alive"))
		;
	end_with(thread, 100);
	end_with(first, 1000);
	assert_int_equal(samples_of(name_of(0)), 1001);
	assert_int_equal(samples_of(name_of(1)), UINT64_MAX);
	assert_int_equal(samples_of(OTHERS), 110);
}

/* The sums of ended threads, at the bound of their number and of the spool: a thread is added to
 * one of its own name, or to one that says that it has others. */

#include <stdio.h>
#include <string.h>

#include "runtime/sample/tree/thread_slot.h"
#include "runtime/sample/tree/tree.h"
#include "tests/support/log_made_up.h"
#include "tests/support/unit.h"

#define NAMES	 256 /* that are kept apart */
#define OTHERS	 "[others]"
#define START_NS 5000000000ULL

struct made_up {
	struct spool_thread *slot;
	struct tree tree;
	struct tree_step memo[2];
	struct log log;
};

static int start(unsigned chunks)
{
	if (log_made_up(chunks, chunks / 2))
		return -1;
	thread_slot_reset();
	thread_slot_start(&spool_own, false);
	return 0;
}

UNIT(setup)
{
	return start(2048);
}

UNIT(teardown)
{
	thread_slot_reset();
	return spool_own_close();
}

static bool begin(struct made_up *thread, const char *name)
{
	memset(thread, 0, sizeof(*thread));
	thread->slot = thread_slot_take(7, name, START_NS);
	if (!thread->slot)
		return false;
	thread->tree.path = thread->memo;
	thread->tree.path_max = 2;
	tree_start(&thread->tree, &spool_own, NULL, &thread->slot->first_chunk);
	log_start(&thread->log, &spool_own, thread->slot, NULL);
	return true;
}

static void end(struct made_up *thread, uint64_t samples)
{
	atomic_store(&thread->slot->count[SPOOL_COUNT_SAMPLES], samples);
	thread_slot_end(thread->slot, &thread->tree, &thread->log, START_NS + 1, NULL);
	tree_free(&thread->tree);
}

static void run(unsigned number, uint64_t samples)
{
	struct made_up thread;
	char name[16];

	snprintf(name, sizeof(name), "name %u", number);
	assert_true(begin(&thread, name));
	end(&thread, samples);
}

/* Samples of ended threads of a name; UINT64_MAX: there is none. */
static uint64_t samples_of(const char *name)
{
	uint64_t offset = spool_own.header->first_thread;
	const struct spool_thread *slot;
	uint32_t count;

	while ((slot = thread_slot_next(&offset, &count)))
		for (; count--; slot++)
			if (slot->state == SPOOL_THREAD_ENDED &&
			    !strncmp((const char *)slot->name, name, sizeof(slot->name)))
				return slot->count[SPOOL_COUNT_SAMPLES];
	return UINT64_MAX;
}

static uint64_t samples_of_number(unsigned number)
{
	char name[16];

	snprintf(name, sizeof(name), "name %u", number);
	return samples_of(name);
}

TEST(names_up_to_the_bound_are_kept_apart_and_further_ones_are_others)
{
	for (unsigned i = 0; i < NAMES; i++)
		run(i, i + 1);
	for (unsigned i = 0; i < NAMES; i++)
		assert_int_equal(samples_of_number(i), i + 1);
	assert_int_equal(samples_of(OTHERS), UINT64_MAX);
	for (unsigned i = 0; i < 3; i++)
		run(NAMES + i, 10);
	run(3, 100);
	assert_int_equal(samples_of(OTHERS), NAMES + 30); /* with the last one of its own name */
	assert_int_equal(samples_of_number(3), 104);
	assert_int_equal(samples_of_number(NAMES - 2), NAMES - 1);
	assert_int_equal(samples_of_number(NAMES - 1), UINT64_MAX);
	assert_int_equal(samples_of_number(NAMES), UINT64_MAX);
}

/* The last sum is no longer of one name then. */
TEST(a_full_spool_gives_no_thread_the_name_of_another)
{
	struct made_up first, thread, more;

	unit_teardown(NULL);
	assert_int_equal(start(64), 0);
	run(0, 1);
	run(1, 10);
	assert_true(begin(&first, "name 0"));
	assert_true(begin(&thread, "name 2"));
	while (begin(&more, "alive"))
		;
	end(&thread, 100);
	end(&first, 1000);
	assert_int_equal(samples_of_number(0), 1001);
	assert_int_equal(samples_of_number(1), UINT64_MAX);
	assert_int_equal(samples_of(OTHERS), 110);
}

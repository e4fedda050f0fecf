/* Interpreters among the loaded objects: one is trusted as long as it is the one that was looked
 * at. Their functions in native stacks: each stands on the leaf's side of the frame that runs it.
 * The interpreters are made up. */

#include <time.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/sample/objects/module.h"
#include "runtime/sample/objects/module_table.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "tests/sample/interp_made_up.h"

#define F(id) (SPOOL_PC_CODE + (id))

static unsigned waits, last_wait;

/* A sleep, in the last of which a walk ends. */
WRAP(int, sys_futex_wait, _Atomic uint32_t *word, uint32_t expected, const struct timespec *most)
{
	assert_int_equal(*word, expected);
	assert_non_null(most);
	if (++waits == last_wait)
		interp_find_leave();
	return 0;
}

static void libc_runs(void)
{
	libc_runs_at(2);
	place(0, 2, F(1));
}

static void assert_merges(unsigned depth)
{
	assert_int_equal(merge(2 * DEPTH).depth, depth);
}

TEST(an_interpreter_that_is_not_known_is_said_once)
{
	made_up.pcs[2] = made_up.in_libc;
	made_up.refusal = "9.9 is not known";
	start();
	assert_string_equal(made_up.noted, "Cmocka 9.9 is not known: its functions are not shown");
	assert_int_equal(made_up.looks, 2);
	assert_false(interp_is_here());
	assert_merges(0);
	assert_int_equal(made_up.looks, 2);
}

TEST(nothing_is_looked_at_before_the_first_sample)
{
	module_note_all(made_up.modules);
	interp_start(made_up.modules, note);
	assert_int_equal(made_up.looks, 0);
	assert_true(interp_is_here());
	assert_int_equal(made_up.looks, 2);
}

TEST(an_object_that_a_sample_meets_later_is_looked_at)
{
	made_up.pcs[2] = made_up.in_libc;
	interp_start(made_up.modules, note);
	place(0, 2, F(1));
	assert_false(interp_is_here());
	loader_start();
	if (!loader_find_object)
		skip();
	assert_true(module_note(made_up.modules, made_up.in_libc));
	assert_merges(0); /* nobody has looked yet */
	assert_true(interp_is_here());
	assert_merges(DEPTH + 1);
	assert_true(interp_is_here());
	assert_int_equal(made_up.looks, 1);
}

static struct module_known *known_at(uint64_t pc)
{
	for (uint32_t i = 0; i < made_up.modules->known_count; i++)
		if (pc >= made_up.modules->known[i].start && pc < made_up.modules->known[i].end)
			return &made_up.modules->known[i];
	fail();
	return NULL;
}

static bool is_none(uint64_t start_address, void *context)
{
	(void)start_address;
	(void)context;
	return false;
}

static void sweep(void)
{
	module_offset_keep(is_none, NULL);
}

TEST(an_object_that_is_unloaded_is_not_trusted)
{
	libc_runs();
	assert_merges(DEPTH + 1);
	known_at(made_up.in_libc)->gone = 1;
	sweep();
	assert_merges(0);
	assert_int_equal(made_up.walks, 1);
	assert_true(interp_is_here()); /* the other one */
	assert_int_equal(made_up.forgets, 1);
	assert_merges(0);
	assert_int_equal(made_up.walks, 1);
}

TEST(nothing_is_trusted_while_an_object_is_unloaded)
{
	struct merged merged;

	libc_runs();
	interp_unload_begin();
	interp_unload_begin();
	interp_unload_end();
	assert_true(interp_is_here());
	merged = merge(2 * DEPTH);
	assert_int_equal(merged.depth, 0);
	assert_int_equal(merged.outcome, INTERP_UNMERGED);
	assert_int_equal(made_up.walks, 0);
	made_up.pcs[2] = 0x1002;
	assert_int_equal(merge(2 * DEPTH).outcome, INTERP_NATIVE);
	made_up.pcs[2] = made_up.in_libc;
	interp_unload_end();
	assert_true(interp_is_here());
	assert_merges(DEPTH + 1);
	assert_int_equal(made_up.forgets, 0);
}

TEST(an_interpreter_that_is_the_program_stays_while_objects_are_unloaded)
{
	made_up.pcs[2] = made_up.in_libc;
	module_note_all(made_up.modules);
	known_at(made_up.in_libc)->entry->flags |= SPOOL_MODULE_EXECUTABLE;
	known_at(made_up.in_cmocka)->entry->flags |= SPOOL_MODULE_EXECUTABLE;
	interp_start(made_up.modules, note);
	assert_true(interp_is_here());
	place(0, 2, F(1));
	waits = last_wait = 0;
	assert_int_equal(interp_find_enter(), INTERP_FIND_SURE);
	interp_unload_begin();
	interp_find_leave();
	assert_int_equal(waits, 0);
	assert_merges(DEPTH + 1);
	interp_unload_end();
}

TEST(an_unload_waits_for_a_walk_and_not_for_ever)
{
	start();
	waits = 0;
	last_wait = 3;
	assert_int_equal(interp_find_enter(), INTERP_FIND_SURE);
	interp_unload_begin();
	assert_int_equal(waits, 3);
	assert_int_equal(interp_find_enter(), INTERP_FIND_STALE);
	interp_unload_begin();
	assert_in_range(waits, 4, 1000);
	interp_find_leave();
	interp_unload_end();
	interp_unload_end();
	assert_int_equal(interp_find_enter(), INTERP_FIND_SURE);
	interp_find_leave();
}

TEST(the_child_of_a_fork_in_an_unload_is_in_none)
{
	libc_runs();
	interp_unload_begin();
	interp_restart();
	begin_modules();
	interp_unload_end();
	assert_true(interp_is_here());
	assert_merges(DEPTH + 1);
}

TEST(an_object_that_is_loaded_elsewhere_is_looked_at_again)
{
	struct module_known *known;
	struct module_offset elsewhere;

	libc_runs();
	/* the table of made_up.modules says that libc was first at another address */
	known = known_at(made_up.in_libc);
	elsewhere = (struct module_offset){ .start = known->start,
					    .end = known->end,
					    .shift = 1 << 30,
					    .generation = known->entry->since };
	known->start += 1 << 30;
	known->end += 1 << 30;
	known->entry->bias += 1 << 30;
	known->gone = 1;
	module_offset_set(&elsewhere);
	assert_true(interp_is_here());
	assert_int_equal(made_up.forgets, 0);
	assert_int_equal(made_up.looks, 2);
	sweep();
	assert_true(interp_is_here());
	assert_int_equal(made_up.forgets, 1);
	assert_merges(0);
	module_offset_set(&elsewhere);
	assert_true(interp_is_here());
	assert_int_equal(made_up.looks, 3);
	assert_merges(DEPTH + 1);
}

TEST(the_child_of_a_fork_looks_at_its_parent_s_objects_again)
{
	libc_runs();
	interp_restart();
	begin_modules();
	assert_int_equal(made_up.forgets, 2);
	assert_int_equal(made_up.looks, 2);
	assert_true(interp_is_here());
	assert_int_equal(made_up.looks, 4);
	assert_merges(DEPTH + 1);
	module_note_all(made_up.modules);
	assert_true(interp_is_here());
	assert_int_equal(made_up.looks, 4);
	known_at(made_up.in_libc)->gone = 1;
	sweep();
	assert_true(interp_is_here());
	assert_int_equal(made_up.forgets, 3);
	assert_merges(0);
}

TEST(a_child_does_not_trust_what_its_parent_had_unloaded)
{
	start();
	module_offset_set(&(struct module_offset){ .start = 1, .end = 2 });
	interp_restart();
	begin_modules();
	assert_int_equal(made_up.forgets, 2);
	assert_false(interp_is_here());
	assert_int_equal(made_up.looks, 2);
}

TEST(a_function_stands_next_to_its_frame_on_the_leaf_s_side)
{
	const uint64_t right[] = { F(1),   0x1000, 0x1001, F(2),  F(3), made_up.in_libc,
				   0x1003, 0x1004, F(4),   0x1005 };
	struct merged merged;

	libc_runs_at(2);
	assert_true(interp_is_here());
	place(0, 0, F(1));
	place(0, 2, F(2));
	place(0, 2, F(3));
	place(0, 5, F(4));
	merged = merge(2 * DEPTH);
	assert_int_equal(merged.outcome, INTERP_MERGED);
	assert_int_equal(merged.depth, 10);
	assert_memory_equal(merged.pcs, right, sizeof(right));
	assert_false(merged.cut);
}

TEST(what_has_no_room_is_cut_at_the_outermost_end)
{
	const uint64_t right[] = { F(1), 0x1000, F(2), F(3), F(4), 0x1001 };
	struct merged merged;

	libc_runs_at(2);
	place(0, 0, F(1));
	for (unsigned i = 2; i < 10; i++)
		place(0, i < 5 ? 1 : 3, F(i));
	merged = merge(DEPTH);
	assert_int_equal(merged.depth, DEPTH);
	assert_memory_equal(merged.pcs, right, sizeof(right));
	assert_true(merged.cut);
}

TEST(two_interpreters_may_share_a_stack)
{
	const uint64_t right[] = { 0x1000, F(1),   F(11), made_up.in_libc,
				   F(12),  0x1002, F(2),  made_up.in_cmocka,
				   0x1004, 0x1005 };
	struct merged merged;

	made_up.pcs[1] = made_up.in_libc;
	made_up.pcs[3] = made_up.in_cmocka;
	start();
	place(0, 1, F(1));
	place(0, 3, F(2));
	place(1, 1, F(11));
	place(1, 2, F(12));
	made_up.finds[1].outcome = INTERP_PENDING;
	merged = merge(2 * DEPTH);
	assert_int_equal(merged.outcome, INTERP_PENDING);
	assert_int_equal(merged.depth, 10);
	assert_memory_equal(merged.pcs, right, sizeof(right));
}

TEST(a_stack_without_a_frame_of_an_interpreter_stays)
{
	start();
	place(0, 1, F(1));
	assert_int_equal(merge(2 * DEPTH).outcome, INTERP_NATIVE);
	assert_int_equal(made_up.walks, 0);
}

TEST(functions_stay_if_others_further_out_are_missing)
{
	struct merged merged;

	libc_runs_at(2);
	made_up.finds[0].outcome = INTERP_PARTIAL;
	place(0, 1, F(1));
	merged = merge(2 * DEPTH);
	assert_int_equal(merged.outcome, INTERP_PARTIAL);
	assert_int_equal(merged.depth, DEPTH + 1);
}

TEST(a_stack_stays_if_its_functions_are_not_certain)
{
	static const enum interp_outcome outcomes[] = { INTERP_NATIVE, INTERP_NO_STATE,
							INTERP_UNMERGED };
	struct merged merged;

	libc_runs_at(2);
	for (unsigned i = 0; i < 3; i++) {
		made_up.finds[0].count = 0;
		made_up.finds[0].outcome = outcomes[i];
		if (i)
			place(0, 1, F(1));
		merged = merge(2 * DEPTH);
		assert_int_equal(merged.outcome, outcomes[i]);
		assert_int_equal(merged.depth, 0);
	}
}

TEST(places_that_are_no_frames_or_not_in_order_are_dropped)
{
	libc_runs_at(2);
	place(0, DEPTH, F(1));
	assert_int_equal(merge(2 * DEPTH).outcome, INTERP_UNMERGED);
	made_up.finds[0].count = 0;
	place(0, 3, F(1));
	place(0, 2, F(2));
	assert_int_equal(merge(2 * DEPTH).outcome, INTERP_UNMERGED);
}

TEST(a_thread_that_may_make_no_system_call_is_left_alone)
{
	libc_runs_at(2);
	place(0, 2, F(1));
	thread_pointer_learn();
	sys_keep_quiet(true);
	assert_int_equal(merge(2 * DEPTH).depth, 0);
	sys_keep_quiet(false);
	assert_int_equal(merge(2 * DEPTH).depth, DEPTH + 1);
}

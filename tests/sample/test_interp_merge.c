/* The functions of interpreters in native stacks: each stands on the leaf's side of the frame that
 * runs it.  The interpreters are made up. */

#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "tests/support/interp_made_up.h"
#include "tests/support/unit.h"

#define DEPTH INTERP_MADE_UP_DEPTH
#define F(id) (SPOOL_PC_CODE + (id))

/* In place of those that flametrap knows. */
const struct interp_runtime *const interp_runtimes[INTERP_RUNTIMES_MAX + 1] = {
	&interp_made_up_libc,
	&interp_made_up_cmocka,
};

static struct interp_made_up *const made_up = &interp_made_up;

TEST(a_function_stands_next_to_its_frame_on_the_leaf_s_side)
{
	const uint64_t right[] = { F(1),   0x1000, 0x1001, F(2),  F(3), made_up->in_libc,
				   0x1003, 0x1004, F(4),   0x1005 };
	struct interp_made_up_merged merged;

	interp_made_up_libc_runs(2);
	assert_true(interp_is_here());
	interp_made_up_place(0, 0, F(1));
	interp_made_up_place(0, 2, F(2));
	interp_made_up_place(0, 2, F(3));
	interp_made_up_place(0, 5, F(4));
	merged = interp_made_up_merge(2 * DEPTH);
	assert_int_equal(merged.outcome, INTERP_MERGED);
	assert_int_equal(merged.depth, 10);
	assert_memory_equal(merged.pcs, right, sizeof(right));
	assert_false(merged.cut);
}

TEST(what_has_no_room_is_cut_at_the_outermost_end)
{
	const uint64_t right[] = { F(1), 0x1000, F(2), F(3), F(4), 0x1001 };
	struct interp_made_up_merged merged;

	interp_made_up_libc_runs(2);
	interp_made_up_place(0, 0, F(1));
	for (unsigned i = 2; i < 10; i++)
		interp_made_up_place(0, i < 5 ? 1 : 3, F(i));
	merged = interp_made_up_merge(DEPTH);
	assert_int_equal(merged.depth, DEPTH);
	assert_memory_equal(merged.pcs, right, sizeof(right));
	assert_true(merged.cut);
}

TEST(two_interpreters_may_share_a_stack)
{
	const uint64_t right[] = { 0x1000, F(1),   F(11), made_up->in_libc,
				   F(12),  0x1002, F(2),  made_up->in_cmocka,
				   0x1004, 0x1005 };
	struct interp_made_up_merged merged;

	made_up->pcs[1] = made_up->in_libc;
	made_up->pcs[3] = made_up->in_cmocka;
	interp_made_up_start();
	interp_made_up_place(0, 1, F(1));
	interp_made_up_place(0, 3, F(2));
	interp_made_up_place(1, 1, F(11));
	interp_made_up_place(1, 2, F(12));
	made_up->finds[1].outcome = INTERP_PENDING;
	merged = interp_made_up_merge(2 * DEPTH);
	assert_int_equal(merged.outcome, INTERP_PENDING);
	assert_int_equal(merged.depth, 10);
	assert_memory_equal(merged.pcs, right, sizeof(right));
}

TEST(a_stack_without_a_frame_of_an_interpreter_stays)
{
	interp_made_up_start();
	interp_made_up_place(0, 1, F(1));
	assert_int_equal(interp_made_up_merge(2 * DEPTH).outcome, INTERP_NATIVE);
	assert_int_equal(made_up->walks, 0);
}

TEST(functions_stay_if_others_further_out_are_missing)
{
	struct interp_made_up_merged merged;

	interp_made_up_libc_runs(2);
	made_up->finds[0].outcome = INTERP_PARTIAL;
	interp_made_up_place(0, 1, F(1));
	merged = interp_made_up_merge(2 * DEPTH);
	assert_int_equal(merged.outcome, INTERP_PARTIAL);
	assert_int_equal(merged.depth, DEPTH + 1);
}

TEST(a_stack_stays_if_its_functions_are_not_certain)
{
	static const enum interp_outcome outcomes[] = { INTERP_NATIVE, INTERP_NO_STATE,
							INTERP_UNMERGED };
	struct interp_made_up_merged merged;

	interp_made_up_libc_runs(2);
	for (unsigned i = 0; i < 3; i++) {
		made_up->finds[0].count = 0;
		made_up->finds[0].outcome = outcomes[i];
		if (i)
			interp_made_up_place(0, 1, F(1));
		merged = interp_made_up_merge(2 * DEPTH);
		assert_int_equal(merged.outcome, outcomes[i]);
		assert_int_equal(merged.depth, 0);
	}
}

TEST(places_that_are_no_frames_or_not_in_order_are_dropped)
{
	interp_made_up_libc_runs(2);
	interp_made_up_place(0, DEPTH, F(1));
	assert_int_equal(interp_made_up_merge(2 * DEPTH).outcome, INTERP_UNMERGED);
	made_up->finds[0].count = 0;
	interp_made_up_place(0, 3, F(1));
	interp_made_up_place(0, 2, F(2));
	assert_int_equal(interp_made_up_merge(2 * DEPTH).outcome, INTERP_UNMERGED);
}

TEST(a_thread_that_may_make_no_system_call_is_left_alone)
{
	interp_made_up_libc_runs(2);
	interp_made_up_place(0, 2, F(1));
	thread_pointer_learn();
	sys_keep_quiet(true);
	assert_int_equal(interp_made_up_merge(2 * DEPTH).depth, 0);
	sys_keep_quiet(false);
	assert_int_equal(interp_made_up_merge(2 * DEPTH).depth, DEPTH + 1);
}

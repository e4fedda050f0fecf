/* The policy for left-over spools: each finder, each state, each reason to leave one. */
#include "runtime/collect/left_over.h"
#include "runtime/spool/format.h"
#include "tests/support/unit.h"

static unsigned held, asked; /* reasons that are true of a spool, and what was asked about it */

static bool holds(enum left_over_reason reason, const void *context)
{
	(void)context;
	asked |= reason;
	return held & reason;
}

static bool is_taken(enum left_over_finder finder, uint32_t state, unsigned reasons)
{
	held = reasons;
	asked = 0;
	return left_over_is_taken(finder, state, holds, NULL);
}

#define ANY (LEFT_OVER_RUNS | LEFT_OVER_LOCKED | LEFT_OVER_PARENT_RUNS)

TEST(each_finder_takes_what_is_its_own)
{
	/* a parent leaves children that go on */
	assert_true(is_taken(LEFT_OVER_PARENT, SPOOL_FINISHED, ANY));
	assert_int_equal(asked, 0);
	assert_true(is_taken(LEFT_OVER_PARENT, LEFT_OVER_UNREAD, ANY));
	assert_true(is_taken(LEFT_OVER_PARENT, SPOOL_RUNNING, 0));
	assert_true(is_taken(LEFT_OVER_PARENT, SPOOL_EXECED, 0));
	assert_false(is_taken(LEFT_OVER_PARENT, SPOOL_RUNNING, LEFT_OVER_RUNS));
	assert_false(is_taken(LEFT_OVER_PARENT, SPOOL_EXECED, LEFT_OVER_RUNS));
	/* images are taken while their process waits */
	assert_true(is_taken(LEFT_OVER_IMAGE, SPOOL_EXECED, ANY));
	assert_true(is_taken(LEFT_OVER_IMAGE, LEFT_OVER_UNREAD, ANY));
	assert_false(is_taken(LEFT_OVER_IMAGE, SPOOL_RUNNING, 0));
	assert_false(is_taken(LEFT_OVER_IMAGE, SPOOL_FINISHED, 0));
	assert_int_equal(asked, 0);
	/* recover takes whatever has no process */
	assert_true(is_taken(LEFT_OVER_RECOVER, LEFT_OVER_UNREAD, 0));
	for (uint32_t of = SPOOL_RUNNING; of <= SPOOL_EXECED; of++) {
		assert_true(is_taken(LEFT_OVER_RECOVER, of, ANY & ~LEFT_OVER_RUNS));
		assert_false(is_taken(LEFT_OVER_RECOVER, of, LEFT_OVER_RUNS));
	}
}

TEST(recover_and_its_notice_take_what_has_no_process)
{
	/* only what recover would write is counted */
	assert_false(is_taken(LEFT_OVER_NOTICE, LEFT_OVER_UNREAD, 0));
	assert_false(is_taken(LEFT_OVER_NOTICE, SPOOL_EXECED, 0));
	assert_true(is_taken(LEFT_OVER_NOTICE, SPOOL_RUNNING, ANY & ~LEFT_OVER_RUNS));
	assert_true(is_taken(LEFT_OVER_NOTICE, SPOOL_FINISHED, 0));
	for (unsigned reason = LEFT_OVER_RUNS; reason <= LEFT_OVER_PARENT_RUNS; reason <<= 1)
		assert_false(is_taken(LEFT_OVER_NOTICE, SPOOL_FINISHED, reason));
	/* Looking for a lock takes the lock for a moment. */
	is_taken(LEFT_OVER_NOTICE, SPOOL_FINISHED, LEFT_OVER_RUNS);
	assert_int_equal(asked, LEFT_OVER_RUNS);
	is_taken(LEFT_OVER_NOTICE, SPOOL_RUNNING, 0);
	assert_int_equal(asked, LEFT_OVER_RUNS);
}

TEST(an_unknown_state_may_be_in_use)
{
	assert_false(is_taken(LEFT_OVER_PARENT, 0, LEFT_OVER_RUNS));
	assert_false(is_taken(LEFT_OVER_PARENT, SPOOL_EXECED + 1, LEFT_OVER_RUNS));
	assert_false(is_taken(LEFT_OVER_RECOVER, 99, LEFT_OVER_RUNS));
	assert_false(is_taken(LEFT_OVER_IMAGE, SPOOL_EXECED + 1, 0));
	assert_false(is_taken(LEFT_OVER_NOTICE, 99, 0));
}

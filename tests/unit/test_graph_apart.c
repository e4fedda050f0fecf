/* What lies below [off-CPU] is told apart by name, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/fold/graph/graph_apart.h"
#include "runtime/fold/profile/stacks.h"

static void add(struct stacks *stacks, const char *const *frames, size_t depth, uint64_t value)
{
	assert_int_equal(stacks_add(stacks, frames, depth, value), 0);
}

static void code_that_waits_is_told_by_a_suffix(void **state)
{
	static const char *const off[] = { "app", "[off-CPU]", "main", "read_[k]", "[preempted]" };
	static const char *const on[] = { "app", "[on-CPU]", "main" };
	static const char *const expected[] = { "app",	       "[off-CPU]", "main_[o]", "read_[k]",
						"[preempted]", "[on-CPU]",  "main" };
	struct stacks *stacks = stacks_new();
	struct stacks_frame *frame;
	struct stacks *apart;
	size_t seen = 0;

	(void)state;
	add(stacks, off, 5, 30);
	add(stacks, off, 3, 5);
	add(stacks, on, 3, 7);
	stacks_sort(stacks);
	assert_int_equal(graph_apart(stacks, &apart), 0);
	assert_non_null(apart);
	assert_int_equal(stacks_root(apart)->total, 42);
	for (frame = stacks_next(stacks_root(apart)); frame; frame = stacks_next(frame))
		assert_string_equal(frame->name, expected[seen++]);
	assert_int_equal(seen, 7);
	stacks_free(apart);
	stacks_free(stacks);
}

static void stacks_without_waiting_stay_as_they_are(void **state)
{
	static const char *const frames[] = { "app", "main", "off-CPU" };
	struct stacks *stacks = stacks_new();
	struct stacks *apart;

	(void)state;
	assert_int_equal(graph_apart(stacks, &apart), 0);
	assert_null(apart);
	add(stacks, frames, 3, 1);
	stacks_sort(stacks);
	assert_int_equal(graph_apart(stacks, &apart), 0);
	assert_null(apart);
	stacks_free(stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_that_waits_is_told_by_a_suffix),
		cmocka_unit_test(stacks_without_waiting_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

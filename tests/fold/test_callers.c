/* The callers of a function add up to its total, and so do the function itself and its callees,
 * with and without recursion. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/report/callers.h"

#define ADD(tree, value, ...)                                      \
	frame_tree_add(tree, (const char *const[]){ __VA_ARGS__ }, \
		       sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), value)

static uint64_t value_of(const struct callers_function *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i].name, name))
			return list[i].value;
	return 0;
}

static void outermost_frames_have_callers_and_innermost_have_callees(void **state)
{
	struct frame_tree *tree = frame_tree_new();
	struct callers found;

	(void)state;
	ADD(tree, 1, "cmd", "main", "f", "g", "f", "h", "i");
	ADD(tree, 2, "cmd", "main", "g", "f");
	ADD(tree, 4, "cmd", "main", "f", "f", "g");
	ADD(tree, 8, "cmd", "f", "h");
	ADD(tree, 16, "f", "main", "h");
	assert_int_equal(callers_find(tree, "f", &found), 0);
	assert_int_equal(found.total, 15);
	assert_int_equal(found.self, 2);
	assert_int_equal(found.caller_count, 3);
	assert_string_equal(found.callers[0].name, "cmd");
	assert_int_equal(value_of(found.callers, 3, "cmd"), 8);
	assert_int_equal(value_of(found.callers, 3, "main"), 5);
	assert_int_equal(value_of(found.callers, 3, "g"), 2);
	assert_int_equal(found.callee_count, 2);
	assert_int_equal(value_of(found.callees, 2, "h"), 9);
	assert_int_equal(value_of(found.callees, 2, "g"), 4);
	callers_free(&found);
	frame_tree_free(tree);
}

static void a_pattern_takes_several_functions_for_one(void **state)
{
	struct frame_tree *tree = frame_tree_new();
	struct callers found;

	(void)state;
	ADD(tree, 3, "cmd", "main", "str_one", "str_two", "leaf");
	ADD(tree, 5, "cmd", "main", "str_two");
	assert_int_equal(callers_find(tree, "str_*", &found), 0);
	assert_int_equal(found.total, 8);
	assert_int_equal(found.self, 5);
	assert_int_equal(value_of(found.callers, found.caller_count, "main"), 8);
	assert_int_equal(value_of(found.callees, found.callee_count, "leaf"), 3);
	callers_free(&found);
	frame_tree_free(tree);
}

static void names_that_are_broken_patterns_are_names(void **state)
{
	struct frame_tree *tree = frame_tree_new();
	struct callers found;

	(void)state;
	ADD(tree, 3, "cmd", "operator/", "operator[");
	assert_int_equal(callers_find(tree, "operator[", &found), 0);
	callers_free(&found);
	assert_int_equal(callers_find(tree, "operator/", &found), 0);
	callers_free(&found);
	frame_tree_free(tree);
}

static void a_function_that_is_not_there_is_an_error(void **state)
{
	struct frame_tree *tree = frame_tree_new();
	struct callers found;

	(void)state;
	assert_int_equal(callers_find(tree, "f", &found), -ENOENT);
	ADD(tree, 3, "cmd", "main");
	assert_int_equal(callers_find(tree, "f", &found), -ENOENT);
	assert_int_equal(callers_find(tree, "cmd", &found), -ENOENT);
	frame_tree_free(tree);
}

/* Against the definition, for random stacks over few names. */
static void sums_are_those_of_the_definition(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	uint64_t caller[5] = { 0 };
	uint64_t callee[4] = { 0 };
	uint64_t self = 0;
	struct frame_tree *tree = frame_tree_new();
	struct callers found;

	(void)state;
	srandom(5);
	for (unsigned round = 1; round < 3000; round++) {
		const char *frames[10] = { "cmd" };
		unsigned name[10] = { 4 };
		unsigned depth = 2 + (unsigned)random() % 8;
		unsigned first = 0;
		unsigned last = 0;

		for (unsigned i = 1; i < depth; i++) {
			name[i] = (unsigned)random() % 4;
			frames[i] = names[name[i]];
			first = !first && !name[i] ? i : first;
			last = !name[i] ? i : last;
		}
		assert_int_equal(frame_tree_add(tree, frames, depth, round), 0);
		if (!first)
			continue;
		caller[name[first - 1]] += round;
		if (last == depth - 1)
			self += round;
		else
			callee[name[last + 1]] += round;
	}
	assert_int_equal(callers_find(tree, "a", &found), 0);
	assert_int_equal(found.self, self);
	for (unsigned i = 1; i < 4; i++) {
		assert_int_equal(value_of(found.callers, found.caller_count, names[i]), caller[i]);
		assert_int_equal(value_of(found.callees, found.callee_count, names[i]), callee[i]);
	}
	assert_int_equal(value_of(found.callers, found.caller_count, "cmd"), caller[4]);
	assert_int_equal(found.total, caller[1] + caller[2] + caller[3] + caller[4]);
	assert_int_equal(found.total, callee[1] + callee[2] + callee[3] + self);
	callers_free(&found);
	frame_tree_free(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outermost_frames_have_callers_and_innermost_have_callees),
		cmocka_unit_test(a_pattern_takes_several_functions_for_one),
		cmocka_unit_test(names_that_are_broken_patterns_are_names),
		cmocka_unit_test(a_function_that_is_not_there_is_an_error),
		cmocka_unit_test(sums_are_those_of_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

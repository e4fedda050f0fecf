/* The tree of frames: a total is the sum of the frames below; siblings are unique and sorted. */
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"

#define ADD(tree, value, ...)                                      \
	frame_tree_add(tree, (const char *const[]){ __VA_ARGS__ }, \
		       sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), value)

static struct frame *find(struct frame *parent, const char *name)
{
	struct frame *child = parent->first_child;

	while (child && strcmp(child->name, name) != 0)
		child = child->next_sibling;
	return child;
}

/* The sanitizer's malloc fails past this, as any does when memory is out. */
#define MALLOC_MOST_MB "64"

const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:max_allocation_size_mb=" MALLOC_MOST_MB;
}

int unit_setup(void **state)
{
	*state = frame_tree_new();
	return *state ? 0 : -1;
}

int unit_teardown(void **state)
{
	frame_tree_free(*state);
	return 0;
}

TEST(what_is_nothing_adds_nothing)
{
	/* a new tree is empty */
	assert_int_equal(folded_text_stacks(*state), 0);
	assert_int_equal(frame_tree_depth(*state), 0);
	assert_int_equal(frame_tree_root(*state)->total, 0);
	assert_null(frame_tree_root(*state)->first_child);
	assert_null(frame_tree_next(frame_tree_root(*state)));
	/* a value of zero adds nothing */
	assert_int_equal(ADD(*state, 0, "a"), 0);
	assert_null(frame_tree_root(*state)->first_child);
	/* a stack without frames is refused */
	assert_int_equal(frame_tree_add(*state, NULL, 0, 1), -EINVAL);
}

TEST(totals_are_self_and_all_below)
{
	struct frame *a;

	assert_int_equal(ADD(*state, 3, "a", "b"), 0);
	assert_int_equal(ADD(*state, 4, "a", "c"), 0);
	assert_int_equal(ADD(*state, 5, "a"), 0);
	assert_int_equal(ADD(*state, 6, "a", "b"), 0);
	a = find(frame_tree_root(*state), "a");
	assert_non_null(a);
	assert_int_equal(frame_tree_root(*state)->total, 18);
	assert_int_equal(a->total, 18);
	assert_int_equal(a->self, 5);
	assert_int_equal(find(a, "b")->self, 9);
	assert_int_equal(find(a, "c")->total, 4);
	assert_int_equal(folded_text_stacks(*state), 3);
	assert_int_equal(frame_tree_depth(*state), 2);
}

TEST(names_are_copied)
{
	char name[] = "short-lived";

	assert_int_equal(ADD(*state, 1, name), 0);
	memset(name, 'x', sizeof(name) - 1);
	assert_non_null(find(frame_tree_root(*state), "short-lived"));
}

TEST(the_same_name_below_itself_is_another_frame)
{
	struct frame *outer;

	assert_int_equal(ADD(*state, 1, "f", "f", "f"), 0);
	outer = find(frame_tree_root(*state), "f");
	assert_ptr_not_equal(outer, find(outer, "f"));
	assert_ptr_equal(outer->name, find(outer, "f")->name);
	assert_int_equal(frame_tree_depth(*state), 3);
}

TEST(siblings_are_sorted_by_bytes)
{
	const char *const expected[] = { "", "Zebra", "a", "a b", "a:b", "aa", "\xc3\xa9" };
	const size_t order[] = { 3, 0, 6, 2, 5, 1, 4 };
	struct frame *frame;

	for (size_t i = 0; i < 7; i++)
		assert_int_equal(ADD(*state, 1, "root", expected[order[i]]), 0);
	frame_tree_sort(*state);
	frame = find(frame_tree_root(*state), "root")->first_child;
	for (size_t i = 0; i < 7; i++, frame = frame->next_sibling)
		assert_string_equal(frame->name, expected[i]);
	assert_null(frame);
}

TEST(a_sum_past_64_bits_is_refused_and_changes_nothing)
{
	assert_int_equal(ADD(*state, UINT64_MAX - 1, "a"), 0);
	assert_int_equal(ADD(*state, 2, "b", "c"), -EOVERFLOW);
	assert_null(find(frame_tree_root(*state), "b"));
	assert_int_equal(frame_tree_root(*state)->total, UINT64_MAX - 1);
	assert_int_equal(ADD(*state, 1, "b"), 0);
	assert_int_equal(frame_tree_root(*state)->total, UINT64_MAX);
}

TEST(memory_that_is_out_changes_nothing)
{
	const size_t bytes = (size_t)65 << 20;
	char *name = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(name != MAP_FAILED);
	memset(name, 'x', bytes - 1);
	assert_int_equal(ADD(*state, 1, "a", "b"), 0);
	assert_int_equal(ADD(*state, 1, "a", "new", name), -ENOMEM);
	assert_null(find(find(frame_tree_root(*state), "a"), "new"));
	assert_int_equal(frame_tree_root(*state)->total, 1);
	assert_int_equal(frame_tree_depth(*state), 2);
	name[1] = '\0';
	assert_int_equal(ADD(*state, 1, "a", "new", name), 0);
	assert_int_equal(frame_tree_root(*state)->total, 2);
	munmap(name, bytes);
}

TEST(adding_after_sorting_keeps_frames_unique)
{
	assert_int_equal(ADD(*state, 1, "a", "b"), 0);
	frame_tree_sort(*state);
	assert_int_equal(ADD(*state, 1, "a", "b"), 0);
	assert_int_equal(ADD(*state, 1, "a", "a"), 0);
	frame_tree_sort(*state);
	assert_int_equal(folded_text_stacks(*state), 2);
	assert_string_equal(find(frame_tree_root(*state), "a")->first_child->name, "a");
}

TEST(a_stack_may_be_twenty_thousand_frames_deep)
{
	const size_t depth = 20000;
	const char **frames = calloc(depth, sizeof(*frames));
	size_t visited = 0;

	assert_non_null(frames);
	for (size_t i = 0; i < depth; i++)
		frames[i] = i % 2 ? "odd" : "even";
	assert_int_equal(frame_tree_add(*state, frames, depth, 7), 0);
	frame_tree_sort(*state);
	for (struct frame *frame = frame_tree_root(*state); frame; frame = frame_tree_next(frame)) {
		assert_int_equal(frame->total, 7);
		visited++;
	}
	assert_int_equal(visited, depth + 1);
	assert_int_equal(frame_tree_depth(*state), depth);
	free(frames);
}

/* A quadratic search among siblings would take minutes here. */
TEST(a_hundred_thousand_siblings_are_found_by_hash)
{
	char name[32];
	struct frame *frame;
	size_t seen = 0;

	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 100000; i++) {
			snprintf(name, sizeof(name), "f%06u", (i * 7919U) % 100000U);
			assert_int_equal(ADD(*state, 1, "main", name), 0);
		}
	}
	frame_tree_sort(*state);
	frame = find(frame_tree_root(*state), "main")->first_child;
	for (; frame; frame = frame->next_sibling, seen++) {
		snprintf(name, sizeof(name), "f%06zu", seen);
		assert_string_equal(frame->name, name);
		assert_int_equal(frame->self, 2);
	}
	assert_int_equal(seen, 100000);
	assert_int_equal(folded_text_stacks(*state), 100000);
}

TEST(reversed_stacks_begin_with_the_leaf)
{
	struct frame_tree *reversed = *state;
	struct frame *leaf;

	assert_int_equal(ADD(*state, 3, "app", "main", "read"), 0);
	assert_int_equal(ADD(*state, 4, "app", "read"), 0);
	assert_int_equal(ADD(*state, 5, "app"), 0);
	assert_int_equal(frame_tree_reverse(&reversed, 0), 0);
	*state = reversed;
	leaf = find(frame_tree_root(reversed), "read");
	assert_int_equal(leaf->total, 7);
	assert_int_equal(leaf->self, 0);
	assert_string_equal(leaf->first_child->name, "app");
	assert_int_equal(leaf->first_child->self, 4);
	assert_int_equal(find(leaf, "main")->first_child->self, 3);
	assert_int_equal(find(frame_tree_root(reversed), "app")->self, 5);
	assert_int_equal(frame_tree_root(reversed)->total, 12);
}

TEST(frames_that_are_kept_stay_in_front_of_reversed_stacks)
{
	struct frame_tree *reversed = *state;
	struct frame *thread;

	assert_int_equal(ADD(*state, 3, "app", "one", "main", "read"), 0);
	assert_int_equal(ADD(*state, 4, "app", "two", "read"), 0);
	assert_int_equal(ADD(*state, 5, "app"), 0);
	assert_int_equal(frame_tree_reverse(&reversed, 2), 0);
	*state = reversed;
	thread = find(frame_tree_root(reversed), "app");
	assert_int_equal(thread->self, 5);
	assert_int_equal(thread->total, 12);
	assert_int_equal(find(find(find(thread, "one"), "read"), "main")->self, 3);
	assert_int_equal(find(find(thread, "two"), "read")->self, 4);
}

TEST(frames_without_a_value_can_be_added_one_by_one)
{
	struct frame *root = frame_tree_root(*state);
	struct frame *app = frame_tree_child(*state, root, "app");
	struct frame *main = frame_tree_child(*state, app, "main");

	assert_ptr_equal(frame_tree_child(*state, app, "main"), main);
	assert_int_equal(frame_tree_depth(*state), 2);
	assert_int_equal(root->total, 0);
	assert_int_equal(frame_tree_give(*state, main, 3), 0);
	assert_int_equal(frame_tree_give(*state, app, UINT64_MAX), -EOVERFLOW);
	assert_int_equal(ADD(*state, 4, "app", "main", "f"), 0);
	assert_int_equal(main->self, 3);
	assert_int_equal(main->total, 7);
	assert_int_equal(root->total, 7);
}

TEST(names_of_one_stack_can_be_reversed)
{
	const char *names[] = { "app", "main", "f", "read" };

	frame_tree_reverse_names(names, 4, 1);
	assert_string_equal(names[0], "app");
	assert_string_equal(names[1], "read");
	assert_string_equal(names[2], "f");
	assert_string_equal(names[3], "main");
	frame_tree_reverse_names(names, 1, 2);
	assert_string_equal(names[0], "app");
}

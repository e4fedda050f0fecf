/* The text is a constant of a test.  An error in it ends the test. */
#include "tests/support/folded_text.h"

#include "runtime/output/formats/format_content.h"
#include "runtime/profile/input/folded_read.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

struct frame_tree *folded_text_tree(const char *folded)
{
	struct frame_tree *tree = frame_tree_new();
	FILE *file = fmemopen((void *)(uintptr_t)folded, strlen(folded), "r");
	size_t skipped;

	if (!tree || !file || folded_read(tree, file, "test", &skipped, NULL, 0))
		abort();
	fclose(file);
	frame_tree_sort(tree);
	return tree;
}

void folded_text_add(struct runs *runs, enum runs_side side, const char *folded)
{
	assert_int_equal(runs_add(runs, side, folded_text_tree(folded), 1), 0);
}

void folded_text_write(struct frame_tree *tree)
{
	written_by(format_folded(&(struct format_content){ .tree = tree }, written_begin()));
}

void folded_text_is(const struct runs *runs, enum runs_side side, size_t run, const char *expected)
{
	size_t first = side == RUNS_AFTER ? runs_count(runs, RUNS_BEFORE) : 0;

	folded_text_write(runs_tree(runs, first + run));
	written_is(expected);
}

static int count_one(void *context, const char **names, size_t depth, uint64_t value)
{
	(void)names;
	(void)depth;
	(void)value;
	++*(size_t *)context;
	return 0;
}

size_t folded_text_stacks(struct frame_tree *tree)
{
	size_t count = 0;

	if (frame_tree_each(tree, count_one, &count))
		abort();
	return count;
}

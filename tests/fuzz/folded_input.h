/* Shared by fuzz targets whose input is folded stacks. */
#ifndef TESTS_FUZZ_FOLDED_INPUT_H
#define TESTS_FUZZ_FOLDED_INPUT_H

#include "runtime/profile/input/folded_read.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/fuzz/fuzz.h"

/* Any bytes can be read.  *skipped is set to the number of lines that are no stacks. */
static inline struct frame_tree *folded_input_read(const void *data, size_t bytes, size_t *skipped)
{
	struct frame_tree *tree = frame_tree_new();
	FILE *file = fuzz_file(data, bytes);
	char line[128];

	CHECK(tree);
	CHECK(folded_read(tree, file, "fuzz", skipped, line, sizeof(line)) == 0);
	CHECK((*skipped == 0) == (line[0] == '\0'));
	fclose(file);
	frame_tree_sort(tree);
	return tree;
}

/* Siblings are sorted and unique, and totals are sums; only some trees have frames of nothing. */
static inline void folded_input_check(struct frame_tree *tree, bool zeros)
{
	for (struct frame *frame = frame_tree_root(tree); frame; frame = frame_tree_next(frame)) {
		uint64_t total = frame->self;

		for (struct frame *child = frame->first_child; child; child = child->next_sibling) {
			CHECK(child->parent == frame && (zeros || child->total));
			CHECK(!child->next_sibling ||
			      strcmp(child->name, child->next_sibling->name) < 0);
			total += child->total;
		}
		CHECK(frame->total == total);
	}
}

#endif

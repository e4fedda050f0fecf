/* Any two profiles can be compared in a picture and in a page, whose texts are safe. */
#include "runtime/compare/changes.h"
#include "runtime/compare/comparison.h"
#include "runtime/compare/runs.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/output/graph/graph.h"
#include "runtime/output/page/difference_draw.h"
#include "tests/fuzz/folded_input.h"
#include "tests/support/written.h"

#define ALPHA .01

static void check_picture(const struct tree_changes *changes)
{
	struct graph_options options = { .title = "fuzz", .min_width_percent = 1e-9 };

	CHECK(graph_write_diff(changes, ALPHA, &options, written_begin()) == 0);
	written_end();
	check_characters(written.text, written.bytes);
}

static void check_page(const struct runs *runs, const struct changes_options *options,
		       const struct tree_changes *tree)
{
	struct comparison comparison = { .label = { "<!--", "</script>" },
					 .runs = { 1, 1 },
					 .alpha = ALPHA };
	struct comparison_counter *counter = comparison_add_counter(&comparison, "<b>", "samples");

	CHECK(counter && changes_make(runs, options, &counter->changes) == 0);
	CHECK(comparison_note(&comparison, "%s", "</script>") == 0);
	CHECK(difference_json(&comparison, &tree, written_begin()) == 0);
	written_end();
	check_json(written.text, written.bytes);
	CHECK(!strpbrk(written.text, "<>&")); /* the text is in a page */
	comparison_free(&comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct changes_options options = { .alpha = ALPHA, .least_share = CHANGES_LEAST };
	const uint8_t *middle = memchr(data, 0, bytes);
	size_t first = middle ? (size_t)(middle - data) : bytes / 2;
	struct runs *runs = runs_new(&(struct runs_options){ .outer = 1 });
	struct tree_changes *changes = NULL;

	CHECK(runs);
	for (int side = RUNS_BEFORE; side <= RUNS_AFTER; side++) {
		size_t skipped;
		struct frame_tree *tree = folded_input_read(side ? data + first : data,
							    side ? bytes - first : first, &skipped);

		CHECK(runs_add(runs, side, tree, 1) == 0);
	}
	CHECK(runs_settle(runs) == 0);
	if (frame_tree_root(runs_tree(runs, 0))->total &&
	    frame_tree_root(runs_tree(runs, runs_count(runs, RUNS_BEFORE)))->total) {
		CHECK(tree_changes_make(runs, &(struct tree_changes_options){ .changes = options },
					&changes) == 0);
		check_picture(changes);
		check_page(runs, &options, changes);
	}
	tree_changes_free(changes);
	runs_free(runs);
	return 0;
}

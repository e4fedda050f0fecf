/* Any two profiles can be compared in a picture and in a page, whose texts are safe. */
#include "runtime/compare/changes.h"
#include "runtime/compare/comparison.h"
#include "runtime/compare/runs.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/profile/input/folded_read.h"
#include "runtime/output/graph/graph.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/output/page/difference_draw.h"
#include "tests/fuzz/fuzz.h"

#define ALPHA .01

static struct frame_tree *read_all(const void *data, size_t bytes)
{
	struct frame_tree *tree = frame_tree_new();
	FILE *file = fuzz_file(data, bytes);
	size_t skipped;
	char line[128];

	CHECK(tree);
	CHECK(folded_read(tree, file, "fuzz", &skipped, line, sizeof(line)) == 0);
	fclose(file);
	frame_tree_sort(tree);
	return tree;
}

static void check_picture(const struct tree_changes *changes)
{
	struct graph_options options = { .title = "fuzz", .min_width_percent = 1e-9 };
	char *text = NULL;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);

	CHECK(graph_write_diff(changes, ALPHA, &options, file) == 0);
	fclose(file);
	for (size_t i = 0; i < bytes; i++)
		CHECK((unsigned char)text[i] >= ' ' || text[i] == '\n' || text[i] == '\t');
	free(text);
}

static void check_page(const struct runs *runs, const struct changes_options *options,
		       const struct tree_changes *tree)
{
	struct comparison comparison = { .label = { "<!--", "</script>" },
					 .runs = { 1, 1 },
					 .alpha = ALPHA };
	struct comparison_counter *counter = comparison_add_counter(&comparison, "<b>", "samples");
	char *text = NULL;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);

	CHECK(counter && changes_make(runs, options, &counter->changes) == 0);
	CHECK(comparison_note(&comparison, "%s", "</script>") == 0);
	CHECK(difference_json(&comparison, &tree, file) == 0);
	fclose(file);
	check_json(text, bytes);
	CHECK(!strpbrk(text, "<>&")); /* the text is in a page */
	free(text);
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
	CHECK(runs_add(runs, RUNS_BEFORE, read_all(data, first), 1) == 0);
	CHECK(runs_add(runs, RUNS_AFTER, read_all(data + first, bytes - first), 1) == 0);
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

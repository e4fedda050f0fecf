/* Any stacks of two sides can be compared: matching names moves no value, and each frame and
 * function has its change.  The first byte has the options; then follow the runs as folded stacks,
 * parted by lines of one hyphen, of the side before and the side after in turns. */
#include "runtime/compare/changes.h"
#include "runtime/compare/runs.h"
#include "runtime/compare/tree_changes.h"
#include "tests/fuzz/folded_input.h"

#define PARTING	  "\n-\n"
#define RUNS_MOST 16

static uint64_t given[RUNS_SIDES][RUNS_MOST]; /* totals */

static void add_all(struct runs *runs, const char *text)
{
	for (size_t i = 0; i < 2 * RUNS_MOST && text; i++) {
		enum runs_side side = i % 2 ? RUNS_AFTER : RUNS_BEFORE;
		const char *end = strstr(text, PARTING);
		size_t bytes = end ? (size_t)(end - text) : strlen(text), skipped;
		struct frame_tree *tree = folded_input_read(text, bytes, &skipped);

		given[side][i / 2] = frame_tree_root(tree)->total;
		CHECK(runs_add(runs, side, tree, i % 3) == 0);
		text = end ? end + strlen(PARTING) : NULL;
	}
}

/* Returns whether both sides have runs, and these have anything but noise. */
static bool check_runs(const struct runs *runs)
{
	const char *old, *new_name;
	bool any = false;

	for (int side = 0; side < RUNS_SIDES; side++)
		for (size_t i = 0; i < runs_count(runs, (enum runs_side)side); i++) {
			size_t run = side ? runs_count(runs, RUNS_BEFORE) + i : i;
			struct frame_tree *tree = runs_tree(runs, run);
			double sum = (double)frame_tree_root(tree)->total + runs_noise(runs, run);

			folded_input_check(tree, false);
			CHECK(fabs(sum - (double)given[side][i]) <= 1e-15 * sum);
			any |= frame_tree_root(tree)->total > 0;
		}
	for (size_t i = 0; runs_matched(runs, i, &old, &new_name); i++)
		CHECK(strcmp(old, new_name) != 0);
	return any && runs_count(runs, RUNS_BEFORE) && runs_count(runs, RUNS_AFTER);
}

static void check_changes(const struct runs *runs, const struct changes_options *options)
{
	int expected = check_runs(runs) ? 0 : -ENODATA;
	struct tree_changes_options how = { .changes = *options,
					    .reverse = options->paired,
					    .outer = 1 };
	struct tree_changes *trees = NULL;
	struct changes changes;

	CHECK(changes_make(runs, options, &changes) == expected);
	for (size_t i = 0; i < changes.count; i++)
		CHECK(changes.functions[i].total.change.mean[0] >=
		      changes.functions[i].self.change.mean[0]);
	how.factors = changes.speed.of_run;
	CHECK(tree_changes_make(runs, &how, &trees) == expected);
	changes_free(&changes);
	if (!trees)
		return;
	folded_input_check(tree_changes_tree(trees), true);
	for (struct frame *frame = frame_tree_root(tree_changes_tree(trees)); frame;
	     frame = frame_tree_next(frame)) {
		const struct tree_change *change = tree_changes_of(trees, frame);

		CHECK(change->mean[0] >= 0 && change->mean[1] >= 0);
		CHECK(!change->significant || change->tested);
	}
	tree_changes_free(trees);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const struct runs_rename renames[] = { { "f", "g" }, { "a_[k]", "b" } };
	struct runs_options options = { .renames = renames };
	struct changes_options rules = { .alpha = 0.01, .least_share = CHANGES_LEAST };
	struct runs *runs;
	char *text;

	if (!bytes)
		return 0;
	options.outer = data[0] & 3;
	options.modules = data[0] & 4;
	options.exact = data[0] & 8;
	options.rename_count = data[0] & 16 ? 2 : 0;
	rules.paired = data[0] & 32;
	text = fuzz_text(data + 1, bytes - 1);
	runs = runs_new(&options);
	CHECK(runs);
	add_all(runs, text);
	CHECK(runs_settle(runs) == 0);
	check_changes(runs, &rules);
	CHECK(runs_settle(runs) == 0);
	check_runs(runs);
	runs_free(runs);
	free(text);
	return 0;
}

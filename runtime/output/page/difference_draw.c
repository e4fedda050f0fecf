/*
 * The changes by frame are made when something is drawn: they take more time than the tables.  The
 * JSON text of a page is made in memory, because its length precedes it in the data.
 */
#include "runtime/output/page/difference_draw.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/gzip.h"
#include "runtime/profile/base/maths.h"
#include "runtime/compare/comparison.h"
#include "runtime/compare/match/runs_options.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/output/graph/graph.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/output/page/viewer_data.h"

#define TITLE_BYTES 1024

bool difference_draw_is_page(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && strcmp(dot, ".html") == 0;
}

/* A picture that says so. */
static int draw_nothing(const struct graph_options *options, FILE *file)
{
	struct frame_tree *nothing = frame_tree_new();
	int err = nothing ? graph_write(nothing, options, file) : -ENOMEM;

	frame_tree_free(nothing);
	return err;
}

/* Returns the speed factors by which the functions of these runs are divided; NULL if they are not.
 */
static const double *factors_of(const struct difference_draw *draw, const struct runs *runs)
{
	for (size_t i = 0; i < draw->comparison->counter_count; i++)
		if (draw->comparison->counters[i].runs == runs)
			return draw->comparison->counters[i].changes.speed.of_run;
	return NULL;
}

static int make_tree(const struct difference_draw *draw, const struct runs *runs,
		     struct tree_changes **tree)
{
	const struct tree_changes_options options = {
		.changes = comparison_options(draw->comparison),
		.factors = factors_of(draw, runs),
		.reverse = draw->reverse,
		.outer = draw->outer,
	};

	return tree_changes_make(runs, &options, tree);
}

static const char *notes_of(const struct difference_draw *draw, const struct runs *runs)
{
	const size_t *count = draw->comparison->runs;

	if (count[RUNS_BEFORE] == 1 && count[RUNS_AFTER] == 1)
		return "One run a side: variation between runs is unknown, only sampling is "
		       "considered";
	if (factors_of(draw, runs))
		return "Widths show a run after, normalized over all runs; red: more than before, "
		       "blue: less, grey: not significant";
	return "Widths show a run after; red: more than before, blue: less, grey: not significant";
}

int difference_draw_graph(const struct difference_draw *draw, const struct runs *runs,
			  const struct graph_options *options, FILE *file)
{
	double alpha = maths_has_distributions() ? draw->comparison->alpha : 0;
	struct graph_options shown = *options;
	struct tree_changes *tree;
	int err = make_tree(draw, runs, &tree);

	if (err == -ENODATA)
		return draw_nothing(options, file);
	if (err)
		return err;
	if (!shown.notes)
		shown.notes = notes_of(draw, runs);
	err = graph_write_diff(tree, alpha, &shown, file);
	tree_changes_free(tree);
	return err;
}

static int write_data(const char *text, size_t length, FILE *file)
{
	struct gzip *gzip;
	int err = gzip_new_base64(file, &gzip);

	if (err)
		return err;
	viewer_shell_pack(gzip, text, length);
	return gzip_free(gzip);
}

/* `trees` has the changes by frame of each counter; NULL: that counter has no graph. */
static int write_page(const struct comparison *comparison, const struct tree_changes *const *trees,
		      FILE *file)
{
	char title[TITLE_BYTES];
	char *text = NULL;
	size_t length = 0;
	FILE *memory = open_memstream(&text, &length);
	int err;

	if (!memory)
		return -ENOMEM;
	err = difference_json(comparison, trees, memory);
	if (ferror(memory) && !err)
		err = -ENOMEM;
	if ((fclose(memory) || length > UINT32_MAX) && !err)
		err = -ENOMEM;
	if (!err) {
		snprintf(title, sizeof(title), "%s \xe2\x86\x92 %s", comparison->label[0],
			 comparison->label[1]);
		viewer_shell_begin(VIEWER_SHELL_DIFFERENCE, title, file);
		err = write_data(text, length, file);
	}
	free(text);
	if (err)
		return err;
	viewer_shell_end(VIEWER_SHELL_DIFFERENCE, file);
	return ferror(file) ? -EIO : 0;
}

int difference_draw_page(const struct difference_draw *draw, FILE *file)
{
	size_t count = draw->comparison->counter_count;
	struct tree_changes **trees = calloc(count + 1, sizeof(struct tree_changes *));
	int err = trees ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < count; i++) {
		err = make_tree(draw, draw->comparison->counters[i].runs, &trees[i]);
		if (err == -ENODATA) /* then there are only functions that one side has */
			err = 0;
	}
	if (!err)
		err = write_page(draw->comparison, (const struct tree_changes *const *)trees, file);
	for (size_t i = 0; trees && i < count; i++)
		tree_changes_free(trees[i]);
	free(trees);
	return err;
}

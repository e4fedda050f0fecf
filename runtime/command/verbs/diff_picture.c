/*
 * Draws the difference of two sides: one counter as a picture, or all of them as a page.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/verbs/diff.h"
#include "runtime/output/page/difference_draw.h"

struct drawing {
	const struct diff_counter *counter; /* of the picture */
	const struct graph_options *graph;
	struct difference_draw how;
	bool page;
};

static int draw(FILE *file, void *context)
{
	const struct drawing *drawing = context;

	return drawing->page ? difference_draw_page(&drawing->how, file)
			     : difference_draw_graph(&drawing->how, drawing->counter->runs,
						     drawing->graph, file);
}

/* A title has less room than a table: of several files, only the first one is named. */
static void title_of(const struct diff_side *side, char *text, size_t bytes)
{
	const char *slash = strrchr(side->path[0], '/');

	if (side->count < 2)
		snprintf(text, bytes, "%.240s", side->label);
	else
		snprintf(text, bytes, "%.100s and %zu more%s%s", slash ? slash + 1 : side->path[0],
			 side->count - 1, side->part[0] ? ", " : "", side->part);
}

/* Set the texts that the user did not give. */
static void set_texts(struct diff *diff, const struct diff_counter *counter)
{
	struct picture_choice *choice = &diff->choice;

	if (!choice->graph.title) {
		char before[256], after[256];

		title_of(&diff->side[0], before, sizeof(before));
		title_of(&diff->side[1], after, sizeof(after));
		snprintf(choice->title, sizeof(choice->title), "%.240s \xe2\x86\x92 %.240s", before,
			 after);
		choice->graph.title = choice->title;
	}
	choice->graph.unit = counter->unit;
}

/* Returns the runs of the comparison's counters, to be freed; NULL when memory is out. */
static const struct runs **list_runs(const struct diff *diff)
{
	const struct runs **runs = calloc(diff->counter_count + 1, sizeof(struct runs *));
	size_t count = 0;

	for (size_t i = 0; runs && i < diff->counter_count; i++)
		if (diff->counters[i].compared)
			runs[count++] = diff->counters[i].runs;
	return runs;
}

int diff_draw(struct diff *diff, const struct diff_counter *counter)
{
	const struct runs **runs = list_runs(diff);
	struct drawing drawing = {
		.counter = counter,
		.graph = &diff->choice.graph,
		.how = { .comparison = &diff->comparison,
			 .runs = runs,
			 .reverse = diff->choice.reverse,
			 .outer = input_options_outer(&diff->choice.reading) },
		.page = diff->choice.output && difference_draw_is_page(diff->choice.output),
	};
	char path[4096];
	int err = runs ? picture_name(diff->side[1].path[0], ".diff.svg", path, sizeof(path))
		       : -ENOMEM;

	if (err) {
		status_line_error(diff->side[1].path[0], err);
	} else {
		set_texts(diff, counter);
		err = picture_write(&diff->choice, path, draw, &drawing);
	}
	free(runs);
	return err;
}

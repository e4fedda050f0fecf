/* flametrap graph FILE…: a flame graph of spools and folded files, merged. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/options/arguments.h"
#include "runtime/command/verbs/picture.h"
#include "runtime/profile/tree/frame_tree.h"

struct job {
	struct picture_choice choice;
	char **paths;
	size_t count;
	struct frame_tree *tree;
};

static int draw(FILE *file, void *context)
{
	struct job *job = context;

	if (job->choice.all)
		return graph_write_views(job->choice.all->view, job->choice.all->count,
					 &job->choice.graph, file);
	return graph_write(job->tree, &job->choice.graph, file);
}

/* The picture goes beside the first file; for a pid it goes here, named after the process. */
static int name_picture(const struct job *job, char *path, size_t bytes)
{
	const char *name = job->choice.name;
	const char *first = job->choice.first[0] ? job->choice.first : job->paths[0];

	return status_line_error(job->paths[0],
				 picture_name(name[0] ? name : first, ".svg", path, bytes));
}

static const char *wrong_use(const struct picture_choice *choice)
{
	const char *dot = choice->output ? strrchr(choice->output, '.') : NULL;

	if (choice->color_by && choice->reading.sort)
		return "--color-by draws frames in the order of their names: it does not go with "
		       "--sort";
	if (dot && !strcmp(dot, ".html"))
		return "graph draws an SVG: flametrap fold --format html -o STEM FILE writes a "
		       "page";
	return NULL;
}

static const struct manual_option graph_options[] = {
	{ "color-by", 0, "A/B", NULL, options_text, offsetof(struct job, choice.color_by),
	  "colour frames by counter A for each of counter B, or by A alone for the ratio that "
	  "report shows; --counter sets the widths (default B); spools only" },
	{ "colour-by", 0, "A/B", NULL, options_text, offsetof(struct job, choice.color_by), NULL },
	{ "sort", 0, "BY", "self total", input_options_sort,
	  offsetof(struct job, choice.reading.sort),
	  "siblings with the largest values at the left instead of in the order of names: by self "
	  "(what each took itself) or total (with all that it called); without ratios" },
	{ 0 },
};

const struct manual manual_graph = {
	.name = "graph",
	.synopsis = { "graph [OPTION...] FILE|PID..." },
	.summary = "draw a flame graph",
	.text = "Reads spools and folded files, merges them, and draws a flame graph. Spools with "
		"several counters get a menu. FILE - is standard input. Without -o the picture of "
		"x.folded is x.svg.\n\n"
		"--color-by needs spools (flametrap --format svg,spool keeps them), even where a "
		"run left a folded file for each counter: a folded file does not say what its "
		"numbers count, nor how many samples stand behind a ratio.",
	.options = { graph_options, manual_picture, manual_reading },
	.least = 1,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_PROFILE,
	.status = MANUAL_STATUS_READ,
	.examples = {
		{ "flametrap graph before.folded", "before.svg" },
		{ "flametrap graph --reverse before.folded -o leaves.svg", "Who calls the busy leaves" },
		{ "flametrap graph --inline --lines app.spool -o lines.svg", "Down to lines" },
		{ "flametrap graph --colors safe --inverted before.folded -o icicle.svg", "Another look" },
		{ "flametrap graph --title Nightly before.folded after.folded -o both.svg",
		  "Two profiles in one picture" },
	},
};

int verb_graph(int argc, char **argv)
{
	struct job job = { .choice.may_all = true };
	char path[4096];
	int status = 2;
	int first = arguments_read(&manual_graph, argc, argv,
				   ARGUMENTS(&job, &job.choice, &job.choice.reading), &status);
	int err;

	if (first < 0)
		return status;
	job.paths = argv + first;
	job.count = (size_t)(argc - first);
	if (wrong_use(&job.choice)) {
		status_line_text(wrong_use(&job.choice));
	} else if (!picture_check_output(&job.choice, job.paths, job.count)) {
		err = picture_read(&job.choice, job.paths, job.count, &job.tree);
		if (!err)
			err = name_picture(&job, path, sizeof(path));
		if (!err)
			err = picture_write(&job.choice, path, draw, &job);
		status = err || job.choice.skipped ? 1 : 0;
	}
	frame_tree_free(job.tree);
	picture_free(&job.choice);
	return status;
}

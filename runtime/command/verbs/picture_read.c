/*
 * Reads the data to draw: one counter, or all counters of spools, with the requested ratios.  All
 * of it outlives the files that it was read from.
 */
#include "runtime/command/verbs/picture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/command/base/interrupt.h"
#include "runtime/command/base/progress.h"
#include "runtime/command/base/status_line.h"
#include "runtime/collect/sources.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/notes.h"

/* The spools supply the texts that the user did not give. */
static void take_notes(struct picture_choice *choice, const struct input *input, unsigned counter)
{
	struct notes notes;

	if (!input->profile || input->folded_count)
		return;
	notes_make(&notes, input->profile, counter, choice->reading.weight);
	if (!choice->graph.title) {
		memcpy(choice->title, notes.title, sizeof(choice->title));
		choice->graph.title = choice->title;
	}
	if (!choice->graph.notes) {
		memcpy(choice->notes, notes.notes, sizeof(choice->notes));
		choice->graph.notes = choice->notes;
	}
	if (!choice->graph.unit)
		choice->graph.unit = notes.unit;
}

/* Makes the ratio's trees, reversed like those that are drawn. */
static int make_ratio(struct picture_choice *choice)
{
	struct graph_ratio *ratio = &choice->ratio;
	int err = ratio_trees_graph(&choice->trees, &choice->pair, ratio);

	if (err || !choice->reverse)
		return err;
	err = ratio_trees_reverse(&choice->trees, input_options_outer(&choice->reading));
	return err ? err : ratio_trees_graph(&choice->trees, &choice->pair, ratio);
}

/* Folded files do not contain the unit of their numbers. */
static int read_ratio(struct picture_choice *choice, const struct input *input)
{
	char line[1024];
	int err;

	if (!input->profile || input->folded_count)
		return fail(-EINVAL,
			    "--color-by needs spools (--format svg,spool keeps them): folded files "
			    "do not say what their numbers count");
	err = ratios_find(input->profile, choice->color_by, &choice->pair, line, sizeof(line));
	if (err)
		return fail(err, "--color-by: %s", line);
	choice->trees.profile = input->profile;
	return status_line_error(NULL, make_ratio(choice));
}

/* The widths are those of the divisor unless the user named another counter. */
static int choose_counter(const struct picture_choice *choice, const struct input *input)
{
	int counter = input_options_counter(&choice->reading, input);

	return counter >= 0 && choice->color_by && !choice->reading.counter ? (int)choice->pair.by
									    : counter;
}

static void show_ratio(struct picture_choice *choice, const char *counter)
{
	snprintf(choice->counter, sizeof(choice->counter), "%s", counter);
	choice->graph.counter = choice->counter;
	choice->graph.ratios = &choice->ratio;
	choice->graph.ratio_count = 1;
	choice->graph.by_ratio = true;
}

/* Reads all counters of spools, as for a run's own picture. */
static int read_all(struct picture_choice *choice, const struct input *input)
{
	const struct graph_options given = choice->graph;
	bool ratios = choice->reading.sort == INPUT_OPTIONS_SORT_NONE;
	int err = counter_views_new(input->profile, choice->reading.weight, ratios, &choice->all);

	if (!err && choice->reverse)
		err = counter_views_reverse(choice->all, input_options_outer(&choice->reading));
	if (err)
		return status_line_error(NULL, err);
	take_notes(choice, input, 0);
	for (unsigned i = 0; i < choice->all->count; i++) {
		struct graph_view *one = &choice->all->view[i];

		input_options_order(&choice->reading, one->tree);
		one->notes = given.notes ? given.notes : one->notes;
		one->unit = given.unit ? given.unit : one->unit;
	}
	return 0;
}

static bool wants_all(const struct picture_choice *choice, const struct input *input)
{
	return choice->may_all && !choice->color_by && !choice->reading.counter && input->profile &&
	       !input->folded_count && counter_views_are_several(input->profile);
}

int picture_read(struct picture_choice *choice, char **paths, size_t count,
		 struct frame_tree **tree)
{
	struct profile_options profile = input_options_profile(&choice->reading, status_line_text);
	struct sources sources;
	const struct input *input = &sources.input;
	int counter;
	int err;

	interrupt_expect(NULL);
	progress_start();
	err = sources_open(&sources, &choice->reading, &profile, paths, count);
	snprintf(choice->name, sizeof(choice->name), "%s", sources.name);
	if (!err && choice->color_by)
		err = read_ratio(choice, input);
	if (err)
		goto out;
	if (!input->profile || !notes_window(input->profile, choice->part, sizeof(choice->part)))
		choice->part[0] = '\0';
	if (wants_all(choice, input)) {
		err = read_all(choice, input);
		goto out;
	}
	counter = choose_counter(choice, input);
	if (counter < 0) {
		err = counter;
		goto out;
	}
	err = input_tree(&sources.input, (unsigned)counter, choice->reading.weight, tree);
	if (err)
		goto out;
	take_notes(choice, input, (unsigned)counter);
	if (choice->color_by)
		show_ratio(choice, profile_counter(input->profile, (unsigned)counter)->name);
	if (choice->reverse)
		err = frame_tree_reverse(tree, input_options_outer(&choice->reading));
	if (!err)
		input_options_order(&choice->reading, *tree);
	if (err) {
		frame_tree_free(*tree);
		*tree = NULL;
		status_line_error(NULL, err);
	}
out:
	choice->skipped += input->skipped;
	snprintf(choice->first, sizeof(choice->first), "%s", input->first ? input->first : "");
	sources_close(&sources);
	progress_print();
	return err;
}

void picture_free(struct picture_choice *choice)
{
	ratio_trees_free(&choice->trees);
	counter_views_free(choice->all);
	input_options_free(&choice->reading);
}

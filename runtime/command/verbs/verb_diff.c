/*
 * flametrap diff BEFORE AFTER: the changes between two sides of runs, as tables and as a picture.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/options/manual.h"
#include "runtime/command/verbs/diff.h"
#include "runtime/output/page/difference_draw.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "runtime/profile/symbols/machine.h"

#define ROWS_DEFAULT 20
#define FAILED	     2 /* exit status, as of diff(1): 1 is an answer */

/* "a.folded, b.folded and 8 more, 1.000 s to 2.000 s of 10.000 s". */
static void set_label(struct diff_side *side)
{
	size_t used = 0, shown = side->count > 3 ? 2 : side->count;

	for (size_t i = 0; i < shown; i++) {
		int length = snprintf(side->label + used, sizeof(side->label) - used, "%s%.120s",
				      i ? ", " : "", side->path[i]);

		used += (size_t)length;
	}
	if (shown < side->count)
		used += (size_t)snprintf(side->label + used, sizeof(side->label) - used,
					 " and %zu more", side->count - shown);
	if (side->part[0])
		snprintf(side->label + used, sizeof(side->label) - used, ", %s", side->part);
}

static int add_measure(struct diff *diff, const char *name, const char *unit, double *value[2],
		       double per_sample)
{
	struct comparison_measure *measure = comparison_add_measure(&diff->comparison, name, unit);

	if (!measure)
		return -ENOMEM;
	for (int side = 0; side < 2; side++) {
		measure->value[side] = value[side];
		value[side] = NULL;
	}
	measure->per_sample = per_sample;
	return 0;
}

/* What spools know about a whole run; of a part of it, they do not. */
static int add_measures(struct diff *diff)
{
	int err = 0;

	if (!diff->measured)
		return 0;
	err = add_measure(diff, "wall", "ns", diff->wall_ns, 0);
	if (!err)
		err = add_measure(diff, "cpu", "ns", diff->cpu_ns, 0);
	for (size_t i = 0; !err && i < diff->counter_count; i++) {
		struct diff_counter *counter = &diff->counters[i];

		if (!counter->missing)
			err = add_measure(diff, counter->name, counter->counts_ns ? "ns" : "",
					  counter->total, counter->per_sample);
	}
	return err;
}

static int add_counter(struct diff *diff, struct diff_counter *counter)
{
	int err;

	if (counter->missing)
		return comparison_note(&diff->comparison,
				       "%s is not in every run, and takes no part.", counter->name);
	err = comparison_add_runs(&diff->comparison, counter->name, counter->unit, counter->runs);
	counter->compared = !err;
	if (err != -ENODATA)
		return err;
	return comparison_note(
		&diff->comparison,
		"%s: the runs have nothing but noise of the machine, so there is nothing to "
		"compare.",
		counter->name[0] ? counter->name : counter->unit);
}

static int note_limits(struct diff *diff)
{
	const char *unit = diff->counters[0].unit;
	bool several = diff->side[0].runs > 1 || diff->side[1].runs > 1;

	if (!diff->folded || !strcmp(unit, "samples"))
		return 0;
	return comparison_note(&diff->comparison,
			       "A folded file does not say what one sample stands for, so %s.",
			       several ? "only the variation between runs is considered"
				       : "nothing is known of the variation of one run a side");
}

static bool is_renamed(const struct runs *runs, const char *name)
{
	const char *old, *new_name;
	size_t bytes;

	for (size_t i = 0; runs_matched(runs, i, &old, &new_name); i++) {
		frame_kind_of(old, &bytes);
		if (!strcmp(old, name) || (strlen(name) == bytes && !memcmp(old, name, bytes)))
			return true;
	}
	return false;
}

/* A name with a slip of the pen would rename nothing, and nobody would know. */
static int note_renames(struct diff *diff)
{
	int err = 0;

	for (size_t i = 0; !err && i < diff->comparing.rename_count; i++) {
		const struct runs_rename *rename = &diff->comparing.renames[i];
		bool found = false;

		for (size_t k = 0; k < diff->counter_count; k++)
			found |= !diff->counters[k].missing &&
				 is_renamed(diff->counters[k].runs, rename->old);
		if (!found)
			err = comparison_note(&diff->comparison,
					      "--rename %s=%s renames nothing: the side before has "
					      "no such name.",
					      rename->old, rename->new_name);
	}
	return err;
}

static int make_comparison(struct diff *diff)
{
	struct comparison *comparison = &diff->comparison;
	int err = 0;

	for (int side = 0; side < 2; side++) {
		set_label(&diff->side[side]);
		comparison->label[side] = diff->side[side].label;
		comparison->runs[side] = diff->side[side].runs;
	}
	comparison->paired = diff->pairs;
	comparison->alpha = diff->comparing.alpha;
	err = add_measures(diff);
	for (size_t i = 0; !err && i < diff->counter_count; i++)
		err = add_counter(diff, &diff->counters[i]);
	if (!err)
		err = comparison_judge(comparison);
	for (size_t i = 0; !err && i < diff->counter_count; i++)
		if (!diff->counters[i].missing) {
			err = comparison_note_matches(comparison, diff->counters[i].runs);
			break;
		}
	if (!err)
		err = note_renames(diff);
	if (!err)
		err = note_limits(diff);
	return status_line_error(NULL, err);
}

static int write_table(struct diff *diff)
{
	return status_line_error("standard output",
				 comparing_write(&diff->comparing, &diff->comparison, diff->rows));
}

struct drawing {
	const struct diff_counter *counter; /* of the picture */
	const struct graph_options *graph;
	struct difference_draw how;
	bool page;
};

static int write_picture(FILE *file, void *context)
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

/* Draw the first counter that is compared, or of which all runs are there; or a page of all. */
static int draw(struct diff *diff)
{
	const struct diff_counter *counter = diff->counters;
	struct drawing drawing = {
		.graph = &diff->choice.graph,
		.how = { .comparison = &diff->comparison,
			 .reverse = diff->choice.reverse,
			 .outer = input_options_outer(&diff->choice.reading) },
		.page = diff->choice.output && difference_draw_is_page(diff->choice.output),
	};
	const char *last = diff->side[1].path[0];
	char path[4096];
	int err = picture_name(last, ".diff.svg", path, sizeof(path));

	if (err)
		return status_line_error(last, err);
	while (counter->missing || (diff->comparison.counter_count && !counter->compared))
		counter++;
	drawing.counter = counter;
	set_texts(diff, counter);
	return picture_write(&diff->choice, path, write_picture, &drawing);
}

static int compare(struct diff *diff, bool *above)
{
	bool data = diff->comparing.json || diff->comparing.markdown;
	bool standard = diff->choice.output && !strcmp(diff->choice.output, "-");
	int err = diff_read(diff);

	if (!err && diff->pairs && diff->side[0].runs != diff->side[1].runs) {
		status_line("--pairs needs as many runs before as after, and there are %zu and %zu",
			    diff->side[0].runs, diff->side[1].runs);
		err = -EINVAL;
	}
	if (!err)
		err = make_comparison(diff);
	if (!err)
		err = comparing_judge(&diff->comparing, &diff->comparison, above);
	if (!err && !standard)
		err = write_table(diff);
	if (!err && (!data || diff->choice.output))
		err = draw(diff);
	return err;
}

static void free_all(struct diff *diff)
{
	comparison_free(&diff->comparison);
	for (size_t i = 0; i < diff->counter_count; i++) {
		runs_free(diff->counters[i].runs);
		free(diff->counters[i].total[0]);
		free(diff->counters[i].total[1]);
	}
	free(diff->counters);
	for (int side = 0; side < 2; side++) {
		free(diff->wall_ns[side]);
		free(diff->cpu_ns[side]);
		free(diff->side[side].path);
		free(diff->side[side].size);
	}
	free(diff->loose.path);
	machine_free(diff->machine);
	comparing_free(&diff->comparing);
	picture_free(&diff->choice);
}

int verb_diff(int argc, char **argv)
{
	struct diff diff = {
		.choice.reading.weight = SETTINGS_WEIGHT_EVENTS,
		.comparing.alpha = COMPARING_ALPHA,
		.rows = ROWS_DEFAULT,
	};
	bool above = false;
	int status = FAILED;

	if (!diff_options_read(&diff, argc, argv, &status) && !compare(&diff, &above) &&
	    !diff.choice.skipped)
		status = above;
	free_all(&diff);
	return status;
}

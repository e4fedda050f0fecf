/* The script writes the same words (changeText in graph_diff.js). */
#include "runtime/output/graph/graph_diff.h"

#include <math.h>

#include "runtime/profile/base/json.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/output/graph/graph_color.h"
#include "runtime/profile/tree/frame_tree.h"

#define DIGITS 10 /* of a number in JSON */

double graph_diff_whole(const struct graph_diff *diff, enum runs_side side)
{
	const struct frame *root = frame_tree_root(tree_changes_tree(diff->changes));

	return tree_changes_of(diff->changes, root)->mean[side];
}

void graph_diff_class(const struct graph_diff *diff, const struct tree_change *change,
		      char class[GRAPH_COLOR_CLASS_BYTES])
{
	double more = change->mean[RUNS_AFTER] - change->mean[RUNS_BEFORE];

	graph_color_change_class(change->significant ? more : 0, tree_changes_most(diff->changes),
				 class);
}

/* Writes "+25 samples". */
static void signed_value(double value, const char *unit, FILE *file)
{
	putc_unlocked(value < 0 ? '-' : '+', file);
	number_text_mean(file, fabs(value), unit);
}

static void side_value(const struct graph_diff *diff, const struct tree_change *change,
		       enum runs_side side, const char *unit, FILE *file)
{
	double whole = graph_diff_whole(diff, side);

	fputs(side == RUNS_BEFORE ? "before " : "; after ", file);
	number_text_mean(file, change->mean[side], unit);
	number_text_fixed(file, ", ", whole > 0 ? 100 * change->mean[side] / whole : 0, "%");
}

/* Returns the confidence in percent; halves of a thousandth are rounded up. */
static double confidence(const struct graph_diff *diff)
{
	return 100 * (1 - diff->alpha);
}

void graph_diff_tell(const struct graph_diff *diff, const struct tree_change *change,
		     const char *unit, FILE *file)
{
	double before = change->mean[RUNS_BEFORE];
	double more = change->mean[RUNS_AFTER] - before;
	char text[NUMBER_TEXT_SHORT_BYTES];

	side_value(diff, change, RUNS_BEFORE, unit, file);
	side_value(diff, change, RUNS_AFTER, unit, file);
	fputs("; change ", file);
	signed_value(more, unit, file);
	if (!(before > 0))
		fputs(", new", file);
	else if (!(change->mean[RUNS_AFTER] > 0))
		fputs(", gone", file);
	else
		number_text_fixed(file, more < 0 ? ", " : ", +", 100 * more / before, "%");
	if (diff->alpha > 0 && isfinite(change->low) && isfinite(change->high)) {
		number_text_short(text, confidence(diff));
		fprintf(file, ", %s%% interval ", text);
		signed_value(change->low, unit, file);
		fputs(" to ", file);
		signed_value(change->high, unit, file);
	}
	if (!change->significant)
		fputs(", not significant", file);
}

/* Returns how many frames significantly stood before and stand no more, without those above them.
 */
static size_t gone(const struct graph_diff *diff)
{
	struct frame_tree *tree = tree_changes_tree(diff->changes);
	size_t found = 0;

	for (const struct frame *at = frame_tree_next(frame_tree_root(tree)); at;
	     at = frame_tree_next(at)) {
		const struct tree_change *change = tree_changes_of(diff->changes, at);
		const struct tree_change *parent = tree_changes_of(diff->changes, at->parent);

		found += change->significant && !(change->mean[RUNS_AFTER] > 0) &&
			 parent->mean[RUNS_AFTER] > 0;
	}
	return found;
}

void graph_diff_legend(const struct graph_diff *diff, struct graph_legend *legend)
{
	size_t vanished = diff->side == RUNS_AFTER ? gone(diff) : 0;
	char text[GRAPH_LEGEND_TEXT_BYTES], number[NUMBER_TEXT_SHORT_BYTES];

	number_text_short(number, confidence(diff));
	snprintf(legend->title, sizeof(legend->title),
		 "Colour: change per run; widths: the side %s",
		 diff->side == RUNS_AFTER ? "after" : "before");
	graph_legend_add(legend, "r8", "more");
	graph_legend_add(legend, "b8", "less");
	if (diff->alpha > 0)
		snprintf(text, sizeof(text), "not significant at %s%% confidence", number);
	else
		snprintf(text, sizeof(text), "not significant: intervals are not known");
	graph_legend_add(legend, "w0", text);
	if (!vanished)
		return;
	snprintf(text, sizeof(text), "%zu %s gone: choose widths: before", vanished,
		 vanished == 1 ? "frame is" : "frames are");
	graph_legend_add(legend, "b8", text);
}

void graph_diff_json(const struct graph_diff *diff, struct json *json)
{
	json_line(json);
	json_object(json, "diff");
	json_array(json, "whole");
	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		json_real(json, NULL, graph_diff_whole(diff, side), DIGITS);
	json_end(json, "]");
	json_real(json, "confidence", diff->alpha > 0 ? confidence(diff) : 0, DIGITS);
	json_end(json, "}");
}

void graph_diff_frame_json(const struct graph_diff *diff, const struct tree_change *change,
			   struct json *json)
{
	char class[GRAPH_COLOR_CLASS_BYTES];

	graph_diff_class(diff, change, class);
	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		json_real(json, NULL, change->mean[side], DIGITS);
	json_real(json, NULL, change->low, DIGITS);
	json_real(json, NULL, change->high, DIGITS);
	json_text(json, NULL, class);
}

/*
 * The frames of the picture that needs no script: each a rectangle, with its label and the text
 * that a browser shows under the pointer.
 */
#include <errno.h>
#include <string.h>

#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/output/graph/graph_color.h"
#include "runtime/output/graph/graph_label.h"
#include "runtime/output/graph/graph_layout.h"
#include "runtime/output/graph/graph_options.h"
#include "runtime/output/graph/graph_picture.h"
#include "runtime/profile/tree/frame_tree.h"

#define CELL_PX 6.65 /* width of a character in the frames' font */
#define EDGE_PX 8    /* from this width on frames have a dashed edge */

const char *graph_picture_unit(const struct graph_picture *picture)
{
	return picture->options->unit ? picture->options->unit : "samples";
}

static int walk(struct graph_picture *picture,
		int (*visit)(const struct graph_place *place, void *context))
{
	const struct graph_diff *diff = &picture->diff;

	return diff->changes
		       ? graph_layout_side(diff->changes, diff->side, picture->kept, visit, picture)
		       : graph_layout_walk(picture->tree, NULL, picture->kept, visit, picture);
}

static int measure(const struct graph_place *place, void *context)
{
	struct graph_picture *picture = context;
	size_t bytes;

	if (place->value >= picture->drawn && place->level >= picture->levels)
		picture->levels = place->level + 1;
	if (place->level)
		picture->kinds[frame_kind_of(place->name, &bytes)] = true;
	return 0;
}

int graph_picture_measure(struct graph_picture *picture)
{
	return walk(picture, measure);
}

static void write_hover(const struct graph_picture *picture, const struct graph_place *place,
			size_t bytes, enum frame_kind kind)
{
	FILE *file = picture->file;

	safe_text_xml(file, place->name, bytes);
	fputs(" (", file);
	if (picture->diff.changes) {
		graph_diff_tell(&picture->diff, place->change, graph_picture_unit(picture), file);
	} else {
		number_text_value(file, place->value, graph_picture_unit(picture));
		number_text_fixed(file, ", ", maths_percent(place->value, picture->total), "%");
	}
	fputs(")", file);
	if (picture->ratio.ratio)
		graph_ratio_tell(&picture->ratio, &picture->ratio.frame[picture->at], file);
	if (frame_kind_text(kind))
		fprintf(file, ", %s", frame_kind_text(kind));
}

static double top_of(const struct graph_picture *picture, size_t level)
{
	size_t row = picture->options->inverted ? level : picture->levels - 1 - level;

	return picture->head + (double)row * GRAPH_PICTURE_ROW_PX;
}

static void class_of(const struct graph_picture *picture, const struct graph_place *place,
		     size_t bytes, enum frame_kind kind, bool wide,
		     char class[GRAPH_COLOR_CLASS_BYTES])
{
	if (picture->ratio.ratio)
		graph_color_ratio_class(picture->ratio.frame[picture->at].step, wide, class);
	else if (picture->diff.changes)
		graph_diff_class(&picture->diff, place->change, class);
	else
		graph_color_class(kind, place->name, bytes, class);
}

static void draw_frame(const struct graph_picture *picture, const struct graph_place *place)
{
	FILE *file = picture->file;
	char class[GRAPH_COLOR_CLASS_BYTES];
	double left = GRAPH_PICTURE_MARGIN_PX + (double)place->left * picture->scale;
	double width = (double)place->value * picture->scale;
	double top = top_of(picture, place->level);
	size_t bytes;
	enum frame_kind kind = frame_kind_of(place->name, &bytes);

	class_of(picture, place, bytes, kind, width >= EDGE_PX, class);
	fputs("<g><title>", file);
	write_hover(picture, place, bytes, kind);
	fprintf(file, "</title><rect class=\"%s\"", class);
	number_text_fixed(file, " x=\"", left, "\"");
	number_text_fixed(file, " y=\"", top, "\"");
	number_text_fixed(file, " width=\"", width > 2.5 ? width - 0.5 : width, "\"");
	fprintf(file, " height=\"%d\"/>", GRAPH_PICTURE_ROW_PX - 1);
	if (width >= 3 * CELL_PX + 6) {
		number_text_fixed(file, "<text x=\"", left + 3, "\"");
		number_text_fixed(file, " y=\"", top + 12.5, "\">");
		graph_label_write(file, place->name, bytes, (size_t)((width - 6) / CELL_PX));
		fputs("</text>", file);
	}
	fputs("</g>\n", file);
}

static int draw(const struct graph_place *place, void *context)
{
	struct graph_picture *picture = context;

	if (place->value >= picture->drawn)
		draw_frame(picture, place);
	picture->at++;
	return ferror(picture->file) ? -EIO : 0;
}

int graph_picture_draw(struct graph_picture *picture)
{
	return walk(picture, draw);
}

/*
 * The SVG file: style sheet, a picture that needs no script, the data, the script.
 *
 * An <img> or a viewer without script shows the picture.  Where scripts run, the embedded script
 * removes the picture and draws from the data, in the window's width.  So the picture holds only
 * the frames that are visible in it, and the data holds everything.
 */
#include "runtime/fold/graph/graph.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "runtime/fold/base/maths.h"
#include "runtime/fold/base/number_text.h"
#include "runtime/fold/base/safe_text.h"
#include "runtime/fold/graph/graph_apart.h"
#include "runtime/fold/graph/graph_asset.h"
#include "runtime/fold/graph/graph_color.h"
#include "runtime/fold/graph/graph_data.h"
#include "runtime/fold/graph/graph_label.h"
#include "runtime/fold/graph/graph_layout.h"
#include "runtime/fold/graph/graph_legend.h"
#include "runtime/fold/graph/graph_ratio.h"
#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/symbols/frame_kind.h"

#define WIDTH_PX	  1200
#define MARGIN_PX	  10
#define ROW_PX		  18
#define CELL_PX		  6.65 /* width of a character in the frames' font */
#define TITLE_PX	  42
#define NOTES_PX	  18
#define FOOT_PX		  34
#define LEGEND_PX	  30  /* height of a legend at the top */
#define NARROWEST_PX	  0.5 /* of a frame in the picture */
#define EDGE_PX		  8   /* from this width on frames have a dashed edge */
#define MIN_WIDTH_PERCENT 0.001

struct picture {
	struct frame_tree *tree;
	struct frame_tree *before;
	const struct graph_options *options;
	const struct graph_view *views; /* NULL: one profile only */
	unsigned choice_count;
	FILE *file;
	uint64_t drawn; /* least value that is visible in the picture */
	double scale;	/* pixels for one unit of value */
	double most;	/* the largest change of a share */
	size_t levels;	/* number of levels drawn */
	bool kinds[FRAME_KINDS];
	struct graph_legend legend;
	struct graph_ratio_frames ratio; /* ratios that colour the picture; none: no ratio */
	size_t at;			 /* index of the frame to be drawn next */
};

static const char *unit_of(const struct picture *picture)
{
	return picture->options->unit ? picture->options->unit : "samples";
}

static void write_text(FILE *file, const char *text)
{
	safe_text_xml(file, text, strlen(text));
}

/* First walk: measures the height of the picture, and collects the kinds of frames and the largest
 * change. */
static int measure(const struct graph_place *place, void *context)
{
	struct picture *picture = context;
	size_t bytes;

	if (place->frame->total >= picture->drawn && place->level >= picture->levels)
		picture->levels = place->level + 1;
	if (place->level)
		picture->kinds[frame_kind_of(place->name, &bytes)] = true;
	if (picture->before) {
		double change = graph_layout_change(place, frame_tree_root(picture->tree)->total,
						    frame_tree_root(picture->before)->total);

		if (fabs(change) > picture->most)
			picture->most = fabs(change);
	}
	return 0;
}

static void write_hover(const struct picture *picture, const struct graph_place *place,
			size_t bytes, enum frame_kind kind)
{
	FILE *file = picture->file;
	double share = maths_percent(place->frame->total, frame_tree_root(picture->tree)->total);

	safe_text_xml(file, place->name, bytes);
	fputs(" (", file);
	number_text_value(file, place->frame->total, unit_of(picture));
	number_text_fixed(file, ", ", share, "%");
	if (picture->before) {
		double was = maths_percent(place->before, frame_tree_root(picture->before)->total);

		number_text_fixed(file, ", was ", was, "%");
		number_text_fixed(file, share < was ? ", " : ", +", share - was, "");
	}
	fputs(")", file);
	if (picture->ratio.ratio)
		graph_ratio_tell(&picture->ratio, &picture->ratio.frame[picture->at], file);
	if (frame_kind_text(kind))
		fprintf(file, ", %s", frame_kind_text(kind));
}

/* Returns the height of title and notes, and of the legend if the outermost frames are on top:
 * there the legend is beside them, where reading begins. */
static double head_of(const struct picture *picture)
{
	bool legend = picture->options->inverted && picture->legend.count;

	return TITLE_PX + (picture->options->notes ? NOTES_PX : 0) + (legend ? LEGEND_PX : 0);
}

static double top_of(const struct picture *picture, size_t level)
{
	double head = head_of(picture);
	size_t row = picture->options->inverted ? level : picture->levels - 1 - level;

	return head + (double)row * ROW_PX;
}

static void class_of(const struct picture *picture, const struct graph_place *place, size_t bytes,
		     enum frame_kind kind, bool wide, char class[GRAPH_COLOR_CLASS_BYTES])
{
	if (picture->ratio.ratio)
		graph_color_ratio_class(picture->ratio.frame[picture->at].step, wide, class);
	else if (picture->before)
		graph_color_change_class(
			graph_layout_change(place, frame_tree_root(picture->tree)->total,
					    frame_tree_root(picture->before)->total),
			picture->most, class);
	else
		graph_color_class(kind, place->name, bytes, class);
}

static void draw_frame(const struct picture *picture, const struct graph_place *place)
{
	FILE *file = picture->file;
	char class[GRAPH_COLOR_CLASS_BYTES];
	double left = MARGIN_PX + (double)place->left * picture->scale;
	double width = (double)place->frame->total * picture->scale;
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
	fprintf(file, " height=\"%d\"/>", ROW_PX - 1);
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
	struct picture *picture = context;

	if (place->frame->total >= picture->drawn)
		draw_frame(picture, place);
	picture->at++;
	return ferror(picture->file) ? -EIO : 0;
}

/* Explains the colours if there is more than one meaning. */
static void make_legend(struct picture *picture)
{
	if (picture->ratio.ratio)
		graph_ratio_legend(&picture->ratio, &picture->legend);
	else if (picture->before)
		graph_legend_change(&picture->legend);
	else
		graph_legend_kinds(&picture->legend, picture->kinds);
}

static void draw_legend(const struct picture *picture, double height)
{
	double top = height - FOOT_PX + 12;

	if (picture->options->inverted)
		top = head_of(picture) - LEGEND_PX + 8;
	graph_legend_draw(&picture->legend, MARGIN_PX, top, picture->file);
}

static void write_head(const struct picture *picture, unsigned width, double height)
{
	const struct graph_options *options = picture->options;
	const char *title = options->title ? options->title : "Flame graph";
	FILE *file = picture->file;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n", file);
	fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flametrap\" width=\"%u\"",
		width);
	fprintf(file, " height=\"%.0f\" viewBox=\"0 0 %u %.0f\" role=\"group\" aria-label=\"",
		height, width, height);
	write_text(file, title);
	fputs("\">\n<title>", file);
	write_text(file, title);
	fputs("</title>\n<style><![CDATA[\n", file);
	fputs(graph_asset_style, file);
	if (picture->scale > 0) /* otherwise there are no frames */
		graph_color_css(file, options->colors);
	fputs(".flametrap .found{fill:rgb(230,0,230)}\n]]></style>\n", file);
	fputs("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n", file);
	fprintf(file, "<text class=\"heading\" x=\"%d\" y=\"27\">", MARGIN_PX);
	write_text(file, title);
	fputs("</text>\n", file);
	if (options->notes) {
		fprintf(file, "<text class=\"notes\" x=\"%d\" y=\"47\">", MARGIN_PX);
		write_text(file, options->notes);
		if (picture->ratio.ratio) {
			fputs("; colour: ", file);
			write_text(file, picture->ratio.ratio->title);
		}
		fputs("</text>\n", file);
	}
}

static void write_tail(FILE *file)
{
	fputs("<script><![CDATA[\n", file);
	fputs(graph_asset_script, file);
	fputs("]]></script>\n</svg>\n", file);
}

static int write_nothing(struct picture *picture, unsigned width)
{
	double top = TITLE_PX + (picture->options->notes ? NOTES_PX : 0);

	write_head(picture, width, top + 2 * ROW_PX);
	number_text_fixed(picture->file, "<text class=\"notes\" x=\"10\" y=\"", top + 10, "\">");
	fputs("There is nothing to draw: the profile holds no ", picture->file);
	write_text(picture->file, unit_of(picture));
	fputs(".</text>\n</svg>\n", picture->file);
	return ferror(picture->file) ? -EIO : -ENODATA;
}

/* Returns the value of the narrowest frame that is at least `width` wide. */
static uint64_t value_of(double width, double scale)
{
	uint64_t value = maths_up(width / scale);

	return value ? value : 1;
}

/* Returns the least value that the data includes. */
static uint64_t kept_of(const struct picture *picture, struct frame_tree *tree)
{
	double least = picture->options->min_width_percent > 0 ? picture->options->min_width_percent
							       : MIN_WIDTH_PERCENT;

	return value_of(least / 100 * (double)frame_tree_root(tree)->total, 1);
}

/* Several counters are written as an array, with the one shown first in front. */
static int write_data(const struct picture *picture)
{
	const struct graph_options *options = picture->options;
	FILE *file = picture->file;
	int err = 0;

	if (!picture->views)
		return graph_data_write(picture->tree, picture->before,
					kept_of(picture, picture->tree), picture->most, options,
					file);
	fputs("<metadata class=\"data\">[</metadata>\n", file);
	for (unsigned i = 0; !err && i < picture->choice_count; i++) {
		const struct graph_view *view = &picture->views[i];
		struct graph_options one = *options;

		if (!frame_tree_root(view->tree)->total)
			continue;
		one.counter = view->counter;
		one.notes = view->notes;
		one.unit = view->unit;
		one.ratios = view->ratios;
		one.ratio_count = view->ratio_count;
		if (view->tree != picture->tree)
			fputs("<metadata class=\"data\">,</metadata>\n", file);
		err = graph_data_write(view->tree, NULL, kept_of(picture, view->tree), 0, &one,
				       file);
	}
	fputs("<metadata class=\"data\">]</metadata>\n", file);
	return err;
}

static int write_picture(struct picture *picture)
{
	const struct graph_options *options = picture->options;
	uint64_t kept, total = frame_tree_root(picture->tree)->total;
	unsigned width = options->width_px ? options->width_px : WIDTH_PX;
	double inner = width > 4 * MARGIN_PX ? width - 2 * MARGIN_PX : width;
	double height;
	int err;

	if (total == 0)
		return write_nothing(picture, width);
	picture->scale = inner / (double)total;
	kept = kept_of(picture, picture->tree);
	picture->drawn = value_of(NARROWEST_PX, picture->scale);
	if (picture->drawn < kept)
		picture->drawn = kept;
	err = graph_layout_walk(picture->tree, picture->before, kept, measure, picture);
	if (!err && options->by_ratio)
		err = graph_ratio_make(picture->tree, kept, &options->ratios[0], &picture->ratio);
	if (err)
		return err;
	make_legend(picture);
	height = top_of(picture, options->inverted ? picture->levels : 0) +
		 (options->inverted ? 0 : ROW_PX) + FOOT_PX;
	write_head(picture, width, height);
	fputs("<g class=\"frames\">\n", picture->file);
	err = graph_layout_walk(picture->tree, picture->before, kept, draw, picture);
	if (!err) {
		fputs("</g>\n", picture->file);
		draw_legend(picture, height);
		err = write_data(picture);
	}
	graph_ratio_free(&picture->ratio);
	if (err)
		return err;
	write_tail(picture->file);
	return ferror(picture->file) ? -EIO : 0;
}

int graph_write(struct frame_tree *tree, const struct graph_options *options, FILE *file)
{
	struct picture picture = { .tree = tree, .options = options, .file = file };
	struct frame_tree *apart = NULL;
	int err = 0;

	if (!options->ratio_count) /* ratios look frames up by their own names */
		err = graph_apart(tree, &apart);
	if (err)
		return err;
	if (apart)
		picture.tree = apart;
	err = write_picture(&picture);
	frame_tree_free(apart);
	return err;
}

int graph_write_views(const struct graph_view *views, unsigned count,
		      const struct graph_options *options, FILE *file)
{
	struct graph_options first = *options;
	struct picture picture = {
		.options = &first,
		.views = views,
		.choice_count = count,
		.file = file,
	};
	unsigned shown = 0;

	while (shown + 1 < count && !frame_tree_root(views[shown].tree)->total)
		shown++;
	first.notes = views[shown].notes;
	first.unit = views[shown].unit;
	picture.tree = views[shown].tree;
	return write_picture(&picture);
}

int graph_write_diff(struct frame_tree *before, struct frame_tree *after,
		     const struct graph_options *options, FILE *file)
{
	struct picture picture = {
		.tree = after,
		.before = before,
		.options = options,
		.file = file,
	};

	return write_picture(&picture);
}

/*
 * The SVG file: style sheet, a picture that needs no script, the data, the script.
 *
 * An <img> or a viewer without script shows the picture.  Where scripts run, the embedded script
 * removes the picture and draws from the data, in the window's width.  So the picture holds only
 * the frames that are visible in it, and the data holds everything.
 */
#include "runtime/output/graph/graph.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/output/graph/asset.h"
#include "runtime/output/graph/graph_picture.h"
#include "runtime/output/graph/graph_color.h"
#include "runtime/output/graph/graph_data.h"
#include "runtime/profile/tree/frame_tree.h"

#define WIDTH_PX	  1200
#define TITLE_PX	  42
#define NOTES_PX	  18
#define FOOT_PX		  34
#define LEGEND_PX	  30  /* height of a legend at the top */
#define NARROWEST_PX	  0.5 /* of a frame in the picture */
#define MIN_WIDTH_PERCENT 0.001

ASSET(graph_script, GENERATED_FOLDER "graph.js"); /* with its modules, by join.awk */
ASSET(graph_style, "runtime/output/graph/graph.css");

static void write_text(FILE *file, const char *text)
{
	safe_text_xml(file, text, strlen(text));
}

/* Returns the height of title and notes, and of the legend if the outermost frames are on top:
 * there the legend is beside them, where reading begins. */
static double head_of(const struct graph_picture *picture)
{
	bool legend = picture->options->inverted && picture->legend.count;

	return TITLE_PX + (picture->options->notes ? NOTES_PX : 0) + (legend ? LEGEND_PX : 0);
}

static void make_legend(struct graph_picture *picture)
{
	if (picture->ratio.ratio)
		graph_ratio_legend(&picture->ratio, &picture->legend);
	else if (picture->diff.changes)
		graph_diff_legend(&picture->diff, &picture->legend);
	else
		graph_legend_kinds(&picture->legend, picture->kinds);
}

static void draw_legend(const struct graph_picture *picture, double height)
{
	double top = height - FOOT_PX + 12;

	if (picture->options->inverted)
		top = picture->head - LEGEND_PX + 8;
	graph_legend_draw(&picture->legend, GRAPH_PICTURE_MARGIN_PX, top, picture->file);
}

static void write_head(const struct graph_picture *picture, unsigned width, double height)
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
	fputs(graph_style, file);
	if (picture->scale > 0) /* otherwise there are no frames */
		graph_color_css(file, options->colors);
	fputs(".flametrap .found{fill:rgb(230,0,230)}\n]]></style>\n", file);
	fputs("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n", file);
	fprintf(file, "<text class=\"heading\" x=\"%d\" y=\"27\">", GRAPH_PICTURE_MARGIN_PX);
	write_text(file, title);
	fputs("</text>\n", file);
	if (options->notes) {
		fprintf(file, "<text class=\"notes\" x=\"%d\" y=\"47\">", GRAPH_PICTURE_MARGIN_PX);
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
	fputs(graph_script, file);
	fputs("]]></script>\n</svg>\n", file);
}

static int write_nothing(struct graph_picture *picture, unsigned width)
{
	double top = TITLE_PX + (picture->options->notes ? NOTES_PX : 0);

	write_head(picture, width, top + 2 * GRAPH_PICTURE_ROW_PX);
	number_text_fixed(picture->file, "<text class=\"notes\" x=\"10\" y=\"", top + 10, "\">");
	fputs("There is nothing to draw: the profile holds no ", picture->file);
	write_text(picture->file, graph_picture_unit(picture));
	fputs(".</text>\n</svg>\n", picture->file);
	return ferror(picture->file) ? -EIO : -ENODATA;
}

/* Returns the value of the narrowest frame that is at least `width` wide. */
static uint64_t value_of(double width, double scale)
{
	uint64_t value = maths_up(width / scale);

	return value ? value : 1;
}

/* Returns the least value that the data of a picture of this total includes. */
static uint64_t kept_of(const struct graph_picture *picture, double total)
{
	double least = picture->options->min_width_percent > 0 ? picture->options->min_width_percent
							       : MIN_WIDTH_PERCENT;

	return value_of(least / 100 * total, 1);
}

/* Two pictures of one comparison: their widths are those of the side after, and before. */
static int write_sides(const struct graph_picture *picture)
{
	static const char *const name[RUNS_SIDES] = { "widths: before", "widths: after" };
	struct graph_options one = *picture->options;
	struct graph_diff diff = picture->diff;
	int err;

	one.counter = name[RUNS_AFTER];
	err = graph_data_write(picture->tree, &diff, picture->kept, &one, picture->file);
	if (err)
		return err;
	fputs("<metadata class=\"data\">,</metadata>\n", picture->file);
	one.counter = name[RUNS_BEFORE];
	diff.side = RUNS_BEFORE;
	return graph_data_write(picture->tree, &diff,
				kept_of(picture, graph_diff_whole(&diff, RUNS_BEFORE)), &one,
				picture->file);
}

static int write_views(const struct graph_picture *picture)
{
	FILE *file = picture->file;
	int err = 0;

	for (unsigned i = 0; !err && i < picture->choice_count; i++) {
		const struct graph_view *view = &picture->views[i];
		struct graph_options one = *picture->options;
		double total = (double)frame_tree_root(view->tree)->total;

		if (!(total > 0))
			continue;
		one.counter = view->counter;
		one.notes = view->notes;
		one.unit = view->unit;
		one.ratios = view->ratios;
		one.ratio_count = view->ratio_count;
		if (view->tree != picture->tree)
			fputs("<metadata class=\"data\">,</metadata>\n", file);
		err = graph_data_write(view->tree, NULL, kept_of(picture, total), &one, file);
	}
	return err;
}

/* Several counters are written as an array, with the one shown first in front. */
static int write_data(const struct graph_picture *picture)
{
	int err;

	if (!picture->views && !picture->diff.changes)
		return graph_data_write(picture->tree, NULL, picture->kept, picture->options,
					picture->file);
	fputs("<metadata class=\"data\">[</metadata>\n", picture->file);
	err = picture->views ? write_views(picture) : write_sides(picture);
	fputs("<metadata class=\"data\">]</metadata>\n", picture->file);
	return err;
}

static int lay_out(struct graph_picture *picture, double width)
{
	const struct graph_options *options = picture->options;
	int err;

	picture->scale = width / (double)picture->total;
	picture->kept = kept_of(picture, (double)picture->total);
	picture->drawn = value_of(NARROWEST_PX, picture->scale);
	if (picture->drawn < picture->kept)
		picture->drawn = picture->kept;
	err = graph_picture_measure(picture);
	if (!err && options->by_ratio)
		err = graph_ratio_make(picture->tree, picture->kept, &options->ratios[0],
				       &picture->ratio);
	if (err)
		return err;
	make_legend(picture);
	picture->head = head_of(picture);
	return 0;
}

static int write_picture(struct graph_picture *picture)
{
	unsigned width = picture->options->width_px ? picture->options->width_px : WIDTH_PX;
	double inner =
		width > 4 * GRAPH_PICTURE_MARGIN_PX ? width - 2 * GRAPH_PICTURE_MARGIN_PX : width;
	double height;
	int err;

	if (picture->total == 0)
		return write_nothing(picture, width);
	err = lay_out(picture, inner);
	if (err)
		return err;
	height = picture->head + (double)picture->levels * GRAPH_PICTURE_ROW_PX + FOOT_PX;
	write_head(picture, width, height);
	fputs("<g class=\"frames\">\n", picture->file);
	err = graph_picture_draw(picture);
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
	struct graph_picture picture = { .tree = tree, .options = options, .file = file };
	struct frame_tree *apart = NULL;
	int err = 0;

	if (!options->ratio_count) /* ratios look frames up by their own names */
		err = graph_apart(tree, &apart);
	if (err)
		return err;
	if (apart)
		picture.tree = apart;
	picture.total = frame_tree_root(picture.tree)->total;
	err = write_picture(&picture);
	frame_tree_free(apart);
	return err;
}

int graph_write_views(const struct graph_view *views, unsigned count,
		      const struct graph_options *options, FILE *file)
{
	struct graph_options first = *options;
	struct graph_picture picture = {
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
	picture.total = frame_tree_root(picture.tree)->total;
	return write_picture(&picture);
}

int graph_write_diff(const struct tree_changes *changes, double alpha,
		     const struct graph_options *options, FILE *file)
{
	struct graph_picture picture = {
		.tree = tree_changes_tree(changes),
		.diff = { changes, RUNS_AFTER, alpha },
		.options = options,
		.file = file,
	};

	picture.total = (uint64_t)(graph_diff_whole(&picture.diff, RUNS_AFTER) + .5);
	return write_picture(&picture);
}

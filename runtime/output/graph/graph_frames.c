/*
 * The frames of the picture that needs no script: each a rectangle, with its label and the text
 * that a browser shows under the pointer.  Brackets and commas in names are ASCII, so UTF-8 is
 * copied byte by byte.
 */
#include <errno.h>
#include <string.h>

#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/output/graph/graph_color.h"
#include "runtime/output/graph/graph_layout.h"
#include "runtime/output/graph/graph_options.h"
#include "runtime/output/graph/graph_picture.h"
#include "runtime/profile/tree/frame_tree.h"

#define CELL_PX	    6.65 /* width of a character in the frames' font */
#define EDGE_PX	    8	 /* from this width on frames have a dashed edge */
#define LABEL_BYTES 2048 /* a longer name is only cut */
#define ELLIPSIS    "\xe2\x80\xa6"

const char *graph_picture_unit(const struct graph_picture *picture)
{
	return picture->options->unit ? picture->options->unit : "samples";
}

static int walk(struct graph_picture *picture,
		int (*visit)(const struct graph_place *place, void *context))
{
	return graph_layout_walk(picture->tree, NULL, picture->diff.changes ? &picture->diff : NULL,
				 picture->kept, visit, picture);
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

/* Returns the length of an operator's name or of an arrow here, whose brackets are no pair; 0 if
 * there is none. */
static size_t operator_at(const char *text, const char *end)
{
	static const char *const signs[] = { "<=>", "<<=", ">>=", "->*", "<<", ">>",
					     "->",  "<=",  ">=",  "()",	 "<",  ">" };
	const char *at = text + strlen("operator");
	size_t left = (size_t)(end - text);

	if (left >= 2 && !memcmp(text, "->", 2))
		return 2;
	if (left < strlen("operator") || memcmp(text, "operator", strlen("operator")) != 0)
		return 0;
	while (at < end && *at == ' ')
		at++;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		size_t length = strlen(signs[i]);

		if ((size_t)(end - at) >= length && !memcmp(at, signs[i], length))
			return (size_t)(at - text) + length;
	}
	return 0;
}

static size_t write_short(char *text, char open, char close)
{
	char *end = mempcpy(text + 1, ELLIPSIS, strlen(ELLIPSIS));

	*text = open;
	*end = close;
	return (size_t)(end + 1 - text);
}

/* Writes "a<b<c>>::d" as "a<…>::d".  Returns the new length; or 0 if brackets do not pair or the
 * result is too long. */
static size_t collapse(const char *name, size_t bytes, char open, char close, char *text)
{
	const char *end = name + bytes;
	size_t used = 0, depth = 0;

	for (const char *at = name; at < end; at++) {
		size_t whole = operator_at(at, end);

		if (used + sizeof(ELLIPSIS) + whole + 2 > LABEL_BYTES)
			return 0;
		if (whole) {
			if (depth == 0)
				used = (size_t)((char *)mempcpy(text + used, at, whole) - text);
			at += whole - 1;
		} else if (*at == open) {
			if (depth++ == 0)
				used += write_short(text + used, open, close);
		} else if (*at == close) {
			if (depth-- == 0)
				return 0;
		} else if (depth == 0) {
			text[used++] = *at;
		}
	}
	return depth ? 0 : used;
}

/* Writes "libsqlite3.so.0@0x1a2b0" as "libsq…@0x1a2b0".  Returns false if that does not help. */
static bool write_module(FILE *file, const char *name, size_t bytes, size_t cells)
{
	const char *at = memmem(name, bytes, "@0x", 3);
	size_t tail = at ? (size_t)(name + bytes - at) : 0;
	size_t head = at ? (size_t)(at - name) : 0;

	if (!at || cells < tail + 2 || head <= cells - tail - 1)
		return false;
	safe_text_xml(file, name, safe_text_fit(name, head, cells - tail - 1));
	fputs(ELLIPSIS, file);
	safe_text_xml(file, at, tail);
	return true;
}

void graph_picture_label(FILE *file, const char *name, size_t bytes, size_t cells)
{
	static const char brackets[2][2] = { { '<', '>' }, { '(', ')' } };
	char text[2][LABEL_BYTES];

	if (safe_text_cells(name, bytes) > cells && write_module(file, name, bytes, cells))
		return;
	for (unsigned i = 0; i < 2 && safe_text_cells(name, bytes) > cells; i++) {
		size_t length = collapse(name, bytes, brackets[i][0], brackets[i][1], text[i]);

		if (length) {
			name = text[i];
			bytes = length;
		}
	}
	safe_text_clipped(file, name, bytes, cells);
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
		graph_picture_label(file, place->name, bytes, (size_t)((width - 6) / CELL_PX));
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

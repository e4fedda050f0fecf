/*
 * A legend is made once and written twice: into the picture, and for the script, which breaks the
 * line where the window is narrow.
 */
#include "runtime/output/graph/graph_color.h"

#include <string.h>

#include "runtime/profile/base/json.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/base/safe_text.h"

#define SQUARE_PX 11
#define INDENT_PX 16  /* from a square to its text */
#define GAP_PX	  16  /* from a text to the next square */
#define CELL_PX	  6.8 /* approximate width of a character */

static void nothing(void *context, size_t bytes)
{
	(void)context;
	(void)bytes;
}

static void write_kinds(struct json *json)
{
	json_list(json, "kindNames");
	for (enum frame_kind i = 0; i < FRAME_KINDS; i++) {
		const char *name = frame_kind_text(i);

		json_text(json, NULL, name ? name : "");
	}
	json_end(json, "]");
}

void graph_legend_names(const char *const *names, size_t count,
			void (*item)(void *context, size_t bytes), void *context, struct json *json)
{
	char class[GRAPH_COLOR_CLASS_BYTES];
	size_t bytes;

	item = item ? item : nothing;
	write_kinds(json);
	json_list(json, "names");
	for (size_t i = 0; i < count; i++) {
		json_next_line(json);
		json_text(json, NULL, names[i]);
		item(context, strlen(names[i]) + 4);
	}
	json_end(json, "]");
	json_list(json, "kinds");
	for (size_t i = 0; i < count; i++) {
		json_uint(json, NULL, frame_kind_of(names[i], &bytes));
		item(context, 2);
	}
	json_end(json, "]");
	json_list(json, "classes");
	for (size_t i = 0; i < count; i++) {
		enum frame_kind kind = frame_kind_of(names[i], &bytes);

		graph_color_class(kind, names[i], bytes, class);
		json_text(json, NULL, class);
		item(context, 6);
	}
	json_end(json, "]");
}

void graph_legend_of_names(const char *const *names, size_t count, struct json *json)
{
	struct graph_legend legend = { .count = 0 };
	bool kinds[FRAME_KINDS] = { false };
	size_t bytes;

	for (size_t i = 1; i < count; i++)
		kinds[frame_kind_of(names[i], &bytes)] = true;
	graph_legend_kinds(&legend, kinds);
	graph_legend_json(&legend, json);
}

void graph_legend_add(struct graph_legend *legend, const char *class, const char *text)
{
	struct graph_legend_entry *entry = &legend->entry[legend->count];

	if (legend->count == GRAPH_LEGEND_ENTRIES)
		return;
	snprintf(entry->class, sizeof(entry->class), "%s", class);
	snprintf(entry->text, sizeof(entry->text), "%s", text);
	legend->count++;
}

void graph_legend_kinds(struct graph_legend *legend, const bool kinds[FRAME_KINDS])
{
	unsigned there = 0;

	for (enum frame_kind i = 0; i < FRAME_KINDS; i++)
		there += kinds[i];
	for (enum frame_kind i = 0; there > 1 && i < FRAME_KINDS; i++) {
		const char *name = frame_kind_text(i);
		char class[GRAPH_COLOR_CLASS_BYTES];

		graph_color_kind_class(i, class);
		if (kinds[i])
			graph_legend_add(legend, class, name ? name : "user");
	}
}

static double cells(const char *text)
{
	return (double)safe_text_cells(text, strlen(text)) * CELL_PX;
}

static void label(FILE *file, double left, const char *text)
{
	number_text_fixed(file, "<text x=\"", left, "\" y=\"9.5\">");
	safe_text_xml(file, text, strlen(text));
	fputs("</text>\n", file);
}

void graph_legend_draw(const struct graph_legend *legend, double left, double top, FILE *file)
{
	number_text_fixed(file, "<g class=\"legend\" transform=\"translate(0 ", top, ")\">\n");
	if (*legend->title) {
		label(file, left, legend->title);
		left += cells(legend->title) + GAP_PX;
	}
	for (unsigned i = 0; i < legend->count; i++) {
		const struct graph_legend_entry *entry = &legend->entry[i];

		fprintf(file, "<rect class=\"%s\"", entry->class);
		number_text_fixed(file, " x=\"", left, "\"");
		fprintf(file, " y=\"0\" width=\"%d\" height=\"%d\" rx=\"2\"/>", SQUARE_PX,
			SQUARE_PX);
		label(file, left + INDENT_PX, entry->text);
		left += INDENT_PX + cells(entry->text) + GAP_PX;
	}
	fputs("</g>\n", file);
}

void graph_legend_json(const struct graph_legend *legend, struct json *json)
{
	json_array(json, "legend");
	json_text(json, NULL, legend->title);
	for (unsigned i = 0; i < legend->count; i++) {
		json_array(json, NULL);
		json_text(json, NULL, legend->entry[i].class);
		json_text(json, NULL, legend->entry[i].text);
		json_end(json, "]");
	}
	json_end(json, "]");
}

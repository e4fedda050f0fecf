/*
 * Writes the data of a flame graph for its script, in two walks over the same frames: the first
 * numbers the names, the second writes the frames.  Names are compared by address, since the tree
 * has one address per name.  They are numbered in order of appearance, so that the same profile
 * gives the same file.
 */
#include "runtime/output/graph/graph_data.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/json.h"
#include "runtime/output/graph/graph_diff.h"
#include "runtime/output/graph/graph_layout.h"
#include "runtime/output/graph/graph_color.h"
#include "runtime/output/graph/graph_options.h"
#include "runtime/output/graph/graph_ratio.h"
#include "runtime/profile/tree/frame_tree.h"

#define OPEN	    "<metadata class=\"data\">"
#define CLOSE	    "</metadata>\n"
#define PIECE_BYTES ((size_t)1 << 20)

struct writer {
	struct map numbers; /* address of a name to its number + 1 */
	const char **names; /* by number, from 0 on */
	size_t name_count;
	struct frame_tree *tree;
	const struct graph_diff *diff; /* NULL: no comparison */
	uint64_t least;
	struct json json;
	uint64_t total; /* of the root */
	size_t piece;	/* approximate bytes since the element began */
	size_t level;	/* of the frame written last, from 1; 0: none */
	uint64_t *next; /* by level: where the next child begins if none is left out */
};

/* Called between two items: begins another element when this one is long enough.  XML readers of
 * some viewers reject more than 10 MB of text in one piece. */
static void item(void *context, size_t bytes)
{
	struct writer *writer = context;

	writer->piece += bytes;
	if (writer->piece < PIECE_BYTES)
		return;
	fputs(CLOSE OPEN, writer->json.file);
	writer->piece = 0;
}

static int number_name(const struct graph_place *place, void *context)
{
	struct writer *writer = context;
	uint32_t *number = map_at(&writer->numbers, (uintptr_t)place->name, 0);

	if (!number)
		return -ENOMEM;
	if (!place->level)
		writer->total = place->value;
	if (*number)
		return 0;
	if (!grow(&writer->names, writer->name_count, sizeof(*writer->names)))
		return -ENOMEM;
	writer->names[writer->name_count++] = place->name;
	*number = (uint32_t)writer->name_count;
	return 0;
}

static int write_frame(const struct graph_place *place, void *context)
{
	struct writer *writer = context;
	const uint32_t *number = map_at(&writer->numbers, (uintptr_t)place->name, 0);
	size_t pop = writer->level - place->level;
	uint64_t gap = place->level ? place->left - writer->next[place->level - 1] : 0;

	if (!number)
		return -ENOMEM;
	json_uint(&writer->json, NULL, pop);
	json_uint(&writer->json, NULL, *number - 1);
	json_uint(&writer->json, NULL, gap);
	json_uint(&writer->json, NULL, place->value);
	if (writer->diff)
		graph_diff_frame_json(writer->diff, place->change, &writer->json);
	putc_unlocked('\n', writer->json.file);
	item(writer, writer->diff ? 64 : 16);
	if (place->level)
		writer->next[place->level - 1] = place->left + place->value;
	writer->next[place->level] = place->left;
	writer->level = place->level + 1;
	return 0;
}

static void write_legend(struct writer *writer)
{
	struct graph_legend legend = { .count = 0 };

	json_line(&writer->json);
	if (!writer->diff) {
		graph_legend_of_names(writer->names, writer->name_count, &writer->json);
		return;
	}
	graph_diff_legend(writer->diff, &legend);
	graph_legend_json(&legend, &writer->json);
}

static void write_reasons(struct json *json, const struct graph_ratio *ratio)
{
	json_array(json, "reasons");
	for (int step = GRAPH_RATIO_FEW; step >= GRAPH_RATIO_NONE; step--) {
		char text[GRAPH_LEGEND_TEXT_BYTES];

		graph_ratio_reason(ratio, step, text, sizeof(text));
		json_text(json, NULL, text);
	}
	json_end(json, "]");
}

static int write_ratio(struct writer *writer, const struct graph_ratio *ratio)
{
	struct graph_legend legend = { .count = 0 };
	struct graph_ratio_frames frames;
	struct json *json = &writer->json;
	int err = graph_ratio_make(writer->tree, writer->least, ratio, &frames);

	if (err)
		return err;
	json_next_line(json);
	json_object(json, NULL);
	json_text(json, "title", ratio->title);
	json_real(json, "scale", ratio->scale, 17);
	graph_ratio_legend(&frames, &legend);
	graph_legend_json(&legend, json);
	write_reasons(json, ratio);
	json_list(json, "values");
	for (size_t i = 0; i < frames.count; i++) {
		json_uint(json, NULL, frames.frame[i].of);
		json_uint(json, NULL, frames.frame[i].by);
		json_int(json, NULL, frames.frame[i].step);
		putc_unlocked('\n', json->file);
		item(writer, 16);
	}
	json_end(json, "]}");
	graph_ratio_free(&frames);
	return 0;
}

static void write_head(struct writer *writer, const struct graph_options *options)
{
	struct json *json = &writer->json;

	json_object(json, NULL);
	json_text(json, "unit", options->unit ? options->unit : "samples");
	json_line(json);
	json_bool(json, "inverted", options->inverted);
	json_line(json);
	json_uint(json, "total", writer->total);
	if (writer->diff) {
		graph_diff_json(writer->diff, json);
	} else {
		json_line(json);
		json_uint(json, "before", 0);
	}
	if (options->counter) {
		json_line(json);
		json_text(json, "counter", options->counter);
		json_line(json);
		json_text(json, "notes", options->notes ? options->notes : "");
	}
	if (options->by_ratio) {
		json_line(json);
		json_bool(json, "byRatio", true);
	}
	write_legend(writer);
}

int graph_data_write(struct frame_tree *tree, const struct graph_diff *diff, uint64_t least,
		     const struct graph_options *options, FILE *file)
{
	struct writer writer = {
		.tree = tree, .diff = diff, .least = least, .json = { .file = file }
	};
	int err = -ENOMEM;

	writer.next = calloc(frame_tree_depth(tree) + 1, sizeof(*writer.next));
	if (!writer.next)
		goto out;
	err = graph_layout_walk(tree, NULL, diff, least, number_name, &writer);
	if (err)
		goto out;
	fputs(OPEN, file);
	write_head(&writer, options);
	graph_legend_names(writer.names, writer.name_count, item, &writer, &writer.json);
	json_list(&writer.json, "frames");
	err = graph_layout_walk(tree, NULL, diff, least, write_frame, &writer);
	json_end(&writer.json, "]");
	json_list(&writer.json, "ratios");
	for (unsigned i = 0; !err && i < options->ratio_count; i++)
		err = write_ratio(&writer, &options->ratios[i]);
	json_end(&writer.json, "]}");
	fputs(CLOSE, file);
out:
	free(writer.next);
	map_free(&writer.numbers);
	free(writer.names);
	return err;
}

/*
 * Writes the data of a flame graph for its script, in two walks over the same frames: the first
 * numbers the names, the second writes the frames.  Names are compared by address, since the tree
 * has one address per name.  They are numbered in order of appearance, so that the same profile
 * gives the same file.
 */
#include "runtime/output/graph/graph_data.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/output/graph/graph_diff.h"
#include "runtime/output/graph/graph_layout.h"
#include "runtime/output/graph/graph_legend.h"
#include "runtime/output/graph/graph_names.h"
#include "runtime/output/graph/graph_options.h"
#include "runtime/output/graph/graph_ratio.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/symbols/frame_kind.h"

#define OPEN	    "<metadata class=\"data\">"
#define CLOSE	    "</metadata>\n"
#define PIECE_BYTES ((size_t)1 << 20)

/* Names with numbers from 0 on. */
struct numbered {
	struct map numbers; /* address of a name to its number + 1 */
	const char **list;  /* by number */
	size_t used;
};

struct writer {
	struct numbered names;
	struct frame_tree *tree;
	const struct graph_diff *diff; /* NULL: no comparison */
	uint64_t least;
	FILE *file;
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
	fputs(CLOSE OPEN, writer->file);
	writer->piece = 0;
}

static uint32_t *number_at(struct writer *writer, const char *name)
{
	return map_at(&writer->names.numbers, (uintptr_t)name, 0);
}

static int number_name(const struct graph_place *place, void *context)
{
	struct writer *writer = context;
	struct numbered *names = &writer->names;
	uint32_t *number = number_at(writer, place->name);

	if (!number)
		return -ENOMEM;
	if (!place->level)
		writer->total = place->value;
	if (*number)
		return 0;
	if (!grow(&names->list, names->used, sizeof(*names->list)))
		return -ENOMEM;
	names->list[names->used++] = place->name;
	*number = (uint32_t)names->used;
	return 0;
}

static int write_frame(const struct graph_place *place, void *context)
{
	struct writer *writer = context;
	const uint32_t *number = number_at(writer, place->name);
	size_t pop = writer->level - place->level;
	uint64_t gap = place->level ? place->left - writer->next[place->level - 1] : 0;

	if (!number)
		return -ENOMEM;
	fprintf(writer->file, "%s%zu,%" PRIu32 ",%" PRIu64 ",%" PRIu64, writer->level ? "," : "",
		pop, *number - 1, gap, place->value);
	if (writer->diff)
		graph_diff_frame_json(writer->diff, place->change, writer->file);
	putc_unlocked('\n', writer->file);
	item(writer, writer->diff ? 64 : 16);
	if (place->level)
		writer->next[place->level - 1] = place->left + place->value;
	writer->next[place->level] = place->left;
	writer->level = place->level + 1;
	return 0;
}

static void write_names(struct writer *writer)
{
	const struct graph_names names = { writer->names.list, writer->names.used };

	graph_names_write(&names, item, writer, writer->file);
}

static void write_legend(const struct writer *writer)
{
	struct graph_legend legend = { .count = 0 };
	const struct graph_names names = { writer->names.list, writer->names.used };

	if (writer->diff)
		graph_diff_legend(writer->diff, &legend);
	else
		graph_names_legend(&names, &legend);
	fputs(",\n\"legend\":", writer->file);
	graph_legend_json(&legend, writer->file);
}

static int write_ratio(struct writer *writer, const struct graph_ratio *ratio)
{
	struct graph_legend legend = { .count = 0 };
	struct graph_ratio_frames frames;
	FILE *file = writer->file;
	int err = graph_ratio_make(writer->tree, writer->least, ratio, &frames);

	if (err)
		return err;
	fputs("{\"title\":", file);
	safe_text_json(file, ratio->title, strlen(ratio->title));
	fprintf(file, ",\"scale\":%.17g,\"legend\":", ratio->scale);
	graph_ratio_legend(&frames, &legend);
	graph_legend_json(&legend, file);
	fputs(",\"reasons\":[", file);
	for (int step = GRAPH_RATIO_FEW; step >= GRAPH_RATIO_NONE; step--) {
		char text[GRAPH_LEGEND_TEXT_BYTES];

		graph_ratio_reason(ratio, step, text, sizeof(text));
		fputs(step == GRAPH_RATIO_FEW ? "" : ",", file);
		safe_text_json(file, text, strlen(text));
	}
	fputs("],\n\"values\":[", file);
	for (size_t i = 0; i < frames.count; i++) {
		const struct graph_ratio_frame *frame = &frames.frame[i];

		fprintf(file, "%s%" PRIu64 ",%" PRIu64 ",%d\n", i ? "," : "", frame->of, frame->by,
			frame->step);
		item(writer, 16);
	}
	fputs("]}", file);
	graph_ratio_free(&frames);
	return 0;
}

static void write_counter(const struct graph_options *options, FILE *file)
{
	const char *notes = options->notes ? options->notes : "";

	fputs(",\n\"counter\":", file);
	safe_text_json(file, options->counter, strlen(options->counter));
	fputs(",\n\"notes\":", file);
	safe_text_json(file, notes, strlen(notes));
}

static int walk(struct writer *writer, int (*visit)(const struct graph_place *place, void *context))
{
	const struct graph_diff *diff = writer->diff;

	return diff ? graph_layout_side(diff->changes, diff->side, writer->least, visit, writer)
		    : graph_layout_walk(writer->tree, NULL, writer->least, visit, writer);
}

int graph_data_write(struct frame_tree *tree, const struct graph_diff *diff, uint64_t least,
		     const struct graph_options *options, FILE *file)
{
	struct writer writer = { .tree = tree, .diff = diff, .least = least, .file = file };
	const char *unit = options->unit ? options->unit : "samples";
	int err = -ENOMEM;

	writer.next = calloc(frame_tree_depth(tree) + 1, sizeof(*writer.next));
	if (!writer.next)
		goto out;
	err = walk(&writer, number_name);
	if (err)
		goto out;
	fputs(OPEN "{\"unit\":", file);
	safe_text_json(file, unit, strlen(unit));
	fprintf(file, ",\n\"inverted\":%s", options->inverted ? "true" : "false");
	fprintf(file, ",\n\"total\":%" PRIu64, writer.total);
	if (diff)
		graph_diff_json(diff, file);
	else
		fputs(",\n\"before\":0", file);
	if (options->counter)
		write_counter(options, file);
	if (options->by_ratio)
		fputs(",\n\"byRatio\":true", file);
	write_legend(&writer);
	graph_names_kinds(file);
	write_names(&writer);
	fputs(",\n\"frames\":[", file);
	err = walk(&writer, write_frame);
	fputs("],\n\"ratios\":[", file);
	for (unsigned i = 0; !err && i < options->ratio_count; i++) {
		fputs(i ? ",\n" : "", file);
		err = write_ratio(&writer, &options->ratios[i]);
	}
	fputs("]}" CLOSE, file);
out:
	free(writer.next);
	map_free(&writer.names.numbers);
	free(writer.names.list);
	return err;
}

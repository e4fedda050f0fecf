/*
 * The file is written during the walk, because a tree of JSON objects would take a hundred times
 * the memory of the stacks.  The first walk over all counters numbers the frames' names, the second
 * writes each stack as numbers, the third its weights.
 */
#include "runtime/output/formats/speedscope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/output/formats/speedscope_stack.h"
#include "runtime/output/formats/speedscope_timed.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/symbols/lines.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct writer {
	const struct speedscope_options *options;
	FILE *file;
	struct string_table strings; /* a frame's index is its name's number - 1 */
	uint32_t *path;		     /* by depth: indices of the frames, outermost first */
	uint32_t left_out; /* index of the frame that stands for others; set if it is needed */
	struct speedscope_timed *timed; /* NULL: samples have no times */
	unsigned profiles;		/* number written so far */
	unsigned active;		/* index of the one to show first */
};

/* Some frames of one counter: a whole tree, one subtree, or one frame's self value. */
struct part {
	const struct speedscope_counter *counter;
	struct frame *top;
	bool alone; /* without the frames below `top` */
};

static size_t depth_of(const struct frame *frame)
{
	size_t depth = 0;

	for (; frame->parent; frame = frame->parent)
		depth++;
	return depth;
}

/* Returns the frame after this one in a part, or NULL; updates *depth. */
static struct frame *next_in(const struct part *part, struct frame *frame, size_t *depth)
{
	if (part->alone)
		return NULL;
	if (frame->first_child) {
		++*depth;
		return frame->first_child;
	}
	for (; frame != part->top; frame = frame->parent, --*depth)
		if (frame->next_sibling)
			return frame->next_sibling;
	return NULL;
}

static uint32_t index_of(struct writer *writer, const char *name)
{
	/* when memory is out: 0 - 1 */
	return string_table_intern(&writer->strings, name, strlen(name)) - 1;
}

static int number_names(struct writer *writer, struct frame_tree *tree)
{
	struct part all = { .top = frame_tree_root(tree) };
	struct frame *frame = all.top;
	size_t depth = 0;

	while ((frame = next_in(&all, frame, &depth)))
		if (index_of(writer, frame->name) == UINT32_MAX)
			return -ENOMEM;
	return 0;
}

static void write_text(FILE *file, const char *key, const char *text)
{
	fprintf(file, "\"%s\":", key);
	safe_text_json(file, text, strlen(text));
}

/* Two lines of a function are two frames, as in the folded file; their names are the same. */
static void write_frame(const struct writer *writer, const char *name)
{
	const struct speedscope_options *options = writer->options;
	struct lines_origin origin;

	if (!options->lines || !lines_origin(options->lines, name, &origin)) {
		write_text(writer->file, "name", name);
		return;
	}
	write_text(writer->file, "name", origin.name);
	putc_unlocked(',', writer->file);
	write_text(writer->file, "file", origin.file);
	fprintf(writer->file, ",\"line\":%" PRIu32, origin.line);
}

static void write_frames(const struct writer *writer)
{
	uint32_t count = writer->strings.count;

	fputs("\"shared\":{\"frames\":[", writer->file);
	for (uint32_t i = 1; i <= count; i++) {
		fputs(i > 1 ? ",\n{" : "\n{", writer->file);
		write_frame(writer, string_table_text(&writer->strings, i));
		putc_unlocked('}', writer->file);
	}
	fputs("]},\n\"profiles\":[", writer->file);
}

static void write_samples(struct writer *writer, const struct part *part)
{
	struct frame *frame = part->top;
	size_t depth = depth_of(frame);
	bool first = true;

	for (; frame->parent; frame = frame->parent)
		writer->path[depth_of(frame)] = index_of(writer, frame->name);
	frame = part->top;
	do {
		if (depth)
			writer->path[depth] = index_of(writer, frame->name);
		if (!frame->self)
			continue;
		fputs(first ? "\n" : ",\n", writer->file);
		speedscope_stack_write(writer->path + 1, depth, writer->left_out, writer->file);
		first = false;
	} while ((frame = next_in(part, frame, &depth)));
}

static void write_weights(struct writer *writer, const struct part *part)
{
	struct frame *frame = part->top;
	size_t depth = 0;
	bool first = true;

	do {
		if (!frame->self)
			continue;
		fprintf(writer->file, "%s%" PRIu64, first ? "" : ",", frame->self);
		first = false;
	} while ((frame = next_in(part, frame, &depth)));
}

/* Writes "task-clock", or with threads "task-clock: xz/4711". */
static void write_name(const struct writer *writer, const struct part *part)
{
	char name[1024];

	if (part->top->parent)
		snprintf(name, sizeof(name), "%s: %s", part->counter->name, part->top->name);
	else
		snprintf(name, sizeof(name), "%s", part->counter->name);
	safe_text_json(writer->file, name, strlen(name));
}

static void write_part(struct writer *writer, const struct part *part)
{
	FILE *file = writer->file;

	fputs(writer->profiles++ ? ",\n" : "\n", file);
	fputs("{\"type\":\"sampled\",\"name\":", file);
	write_name(writer, part);
	fprintf(file, ",\"unit\":\"%s\"", part->counter->nanoseconds ? "nanoseconds" : "none");
	fprintf(file, ",\"startValue\":0,\"endValue\":%" PRIu64 ",\n\"samples\":[",
		part->alone ? part->top->self : part->top->total);
	write_samples(writer, part);
	fputs("],\n\"weights\":[", file);
	write_weights(writer, part);
	fputs("]}", file);
}

static void write_threads(struct writer *writer, const struct speedscope_counter *counter)
{
	struct frame *command = frame_tree_root(counter->tree)->first_child;

	for (; command; command = command->next_sibling) {
		if (command->self)
			write_part(writer, &(struct part){ counter, command, true });
		for (struct frame *thread = command->first_child; thread;
		     thread = thread->next_sibling)
			write_part(writer, &(struct part){ counter, thread, false });
	}
}

/* A counter without counts is left out.  speedscope rejects a file without a profile, so one
 * counter stays if there is nothing else. */
static void write_counters(struct writer *writer, const struct speedscope_counter *counters,
			   unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct frame *root = frame_tree_root(counters[i].tree);

		if (root->total && writer->timed && writer->options->threads &&
		    speedscope_timed_is_complete(writer->timed))
			continue;
		if (root->total && writer->options->threads)
			write_threads(writer, &counters[i]);
		else if (root->total)
			write_part(writer, &(struct part){ &counters[i], root, false });
	}
	writer->active = writer->profiles;
	if (writer->timed)
		writer->profiles +=
			speedscope_timed_write(writer->timed, writer->file, writer->profiles);
	if (writer->active == writer->profiles)
		writer->active = 0;
	if (count && !writer->profiles)
		write_part(writer, &(struct part){ &counters[0], frame_tree_root(counters[0].tree),
						   false });
}

static int number_all(struct writer *writer, const struct speedscope_counter *counters,
		      unsigned count)
{
	size_t deepest = 0;
	int err = 0;

	for (unsigned i = 0; !err && i < count; i++) {
		if (frame_tree_depth(counters[i].tree) > deepest)
			deepest = frame_tree_depth(counters[i].tree);
		err = number_names(writer, counters[i].tree);
	}
	if (!err && deepest > SPEEDSCOPE_STACK_MAX) {
		writer->left_out = index_of(writer, SPEEDSCOPE_STACK_LEFT_OUT);
		err = writer->left_out == UINT32_MAX ? -ENOMEM : 0;
	}
	writer->path = calloc(deepest + 1, sizeof(*writer->path));
	return err ? err : writer->path ? 0 : -ENOMEM;
}

int speedscope_write(const struct speedscope_counter *counters, unsigned count,
		     const struct speedscope_options *options, FILE *file)
{
	struct writer writer = { .options = options, .file = file };
	int err = number_all(&writer, counters, count);

	if (!err && options->timed)
		err = speedscope_timed_new(options->timed, options->weight, &writer.strings,
					   &writer.timed);

	if (!err) {
		fputs("{\"$schema\":\"" SCHEMA "\",\n", file);
		write_frames(&writer);
		write_counters(&writer, counters, count);
		fputs("],\n\"name\":", file);
		safe_text_json(file, options->title, strlen(options->title));
		fprintf(file, ",\n\"activeProfileIndex\":%u,\n", writer.active);
		fputs("\"exporter\":\"flametrap " FLAMETRAP_VERSION "\"}\n", file);
		err = ferror(file) ? -EIO : 0;
	}
	speedscope_timed_free(writer.timed);
	string_table_free(&writer.strings);
	free(writer.path);
	return err;
}

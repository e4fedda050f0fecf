/*
 * The file is written during the walk, because a tree of JSON objects would take a hundred times
 * the memory of the stacks.  The first walk over all counters numbers the frames' names, the second
 * writes each stack as numbers, the third its weights.
 */
#include "runtime/output/formats/speedscope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/json.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/symbols/lines.h"
#include "runtime/output/formats/format_content.h"
#include "runtime/output/formats/timed.h"
#include "runtime/output/graph/counter_views.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/merge/profile_trees.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct writer {
	const struct speedscope_options *options;
	struct json json;
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

/* Two lines of a function are two frames, as in the folded file; their names are the same. */
static void write_frame(struct writer *writer, const char *name)
{
	const struct speedscope_options *options = writer->options;
	struct json *json = &writer->json;
	struct lines_origin origin;

	json_line(json);
	if (options->lines && lines_origin(options->lines, name, &origin))
		json_record(json, NULL, "name:%s file:%s line:%u", origin.name, origin.file,
			    origin.line);
	else
		json_record(json, NULL, "name:%s", name);
}

static void write_frames(struct writer *writer)
{
	uint32_t count = writer->strings.count;

	json_line(&writer->json);
	json_object(&writer->json, "shared");
	json_array(&writer->json, "frames");
	for (uint32_t i = 1; i <= count; i++)
		write_frame(writer, string_table_text(&writer->strings, i));
	json_end(&writer->json, "]}");
}

static void write_some(const uint32_t *path, size_t count, struct json *json)
{
	for (size_t i = 0; i < count; i++)
		json_uint(json, NULL, path[i]);
}

/* Of a deep stack the outermost half and the innermost half are written, and one frame between. */
void speedscope_stack_write(const uint32_t *path, size_t depth, uint32_t left_out,
			    struct json *json)
{
	const size_t outer = SPEEDSCOPE_STACK_MAX / 2, inner = SPEEDSCOPE_STACK_MAX - outer - 1;

	json_array(json, NULL);
	if (depth > SPEEDSCOPE_STACK_MAX) {
		write_some(path, outer, json);
		json_uint(json, NULL, left_out);
		write_some(path + depth - inner, inner, json);
	} else {
		write_some(path, depth, json);
	}
	json_end(json, "]");
}

static void write_samples(struct writer *writer, const struct part *part)
{
	struct frame *frame = part->top;
	size_t depth = depth_of(frame);

	for (; frame->parent; frame = frame->parent)
		writer->path[depth_of(frame)] = index_of(writer, frame->name);
	frame = part->top;
	do {
		if (depth)
			writer->path[depth] = index_of(writer, frame->name);
		if (!frame->self)
			continue;
		json_line(&writer->json);
		speedscope_stack_write(writer->path + 1, depth, writer->left_out, &writer->json);
	} while ((frame = next_in(part, frame, &depth)));
}

static void write_weights(struct writer *writer, const struct part *part)
{
	struct frame *frame = part->top;
	size_t depth = 0;

	do
		if (frame->self)
			json_uint(&writer->json, NULL, frame->self);
	while ((frame = next_in(part, frame, &depth)));
}

/* Writes "task-clock", or with threads "task-clock: xz/4711". */
static void write_name(struct writer *writer, const struct part *part)
{
	char name[1024];

	if (part->top->parent)
		snprintf(name, sizeof(name), "%s: %s", part->counter->name, part->top->name);
	else
		snprintf(name, sizeof(name), "%s", part->counter->name);
	json_text(&writer->json, "name", name);
}

static void write_part(struct writer *writer, const struct part *part)
{
	struct json *json = &writer->json;

	writer->profiles++;
	json_row(json);
	json_text(json, "type", "sampled");
	write_name(writer, part);
	json_text(json, "unit", part->counter->nanoseconds ? "nanoseconds" : "none");
	json_uint(json, "startValue", 0);
	json_uint(json, "endValue", part->alone ? part->top->self : part->top->total);
	json_list(json, "samples");
	write_samples(writer, part);
	json_end(json, "]");
	json_list(json, "weights");
	write_weights(writer, part);
	json_end(json, "]}");
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
		writer->profiles += speedscope_timed_write(writer->timed, &writer->json);
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

static int write_file(struct writer *writer, const struct speedscope_counter *counters,
		      unsigned count)
{
	struct json *json = &writer->json;

	json_object(json, NULL);
	json_text(json, "$schema", SCHEMA);
	write_frames(writer);
	json_list(json, "profiles");
	write_counters(writer, counters, count);
	json_end(json, "]");
	json_line(json);
	json_text(json, "name", writer->options->title);
	json_line(json);
	json_uint(json, "activeProfileIndex", writer->active);
	json_line(json);
	json_text(json, "exporter", "flametrap " FLAMETRAP_VERSION);
	json_end(json, "}");
	putc('\n', json->file);
	return ferror(json->file) ? -EIO : 0;
}

int speedscope_write(const struct speedscope_counter *counters, unsigned count,
		     const struct speedscope_options *options, FILE *file)
{
	struct writer writer = { .options = options, .json = { .file = file } };
	int err = number_all(&writer, counters, count);

	if (!err && options->timed)
		err = speedscope_timed_new(options->timed, options->weight, &writer.strings,
					   &writer.timed);
	if (!err)
		err = write_file(&writer, counters, count);
	speedscope_timed_free(writer.timed);
	string_table_free(&writer.strings);
	free(writer.path);
	return err;
}

static int write_views(const struct format_content *content, const struct counter_views *all,
		       FILE *file)
{
	const struct profile_trees *trees = profile_merge(content->profile);
	struct speedscope_counter counters[SPOOL_COUNTERS_MAX];
	struct speedscope_options options = {
		.title = counter_views_title(all),
		.lines = trees->lines,
		.weight = content->weight,
		.threads = trees->options.threads != SETTINGS_THREADS_MERGE,
	};

	if (timed_has_all(content->profile))
		options.timed = content->profile;
	for (unsigned i = 0; i < all->count; i++) {
		counters[i].name = all->view[i].counter;
		counters[i].nanoseconds = !strcmp(all->view[i].unit, "ns");
		counters[i].tree = all->view[i].tree;
	}
	return speedscope_write(counters, all->count, &options, file);
}

int format_speedscope(const struct format_content *content, FILE *file)
{
	struct counter_views *all;
	int err = counter_views_new(content->profile, content->weight, false, &all);

	if (!err)
		err = write_views(content, all, file);
	counter_views_free(all);
	return err;
}

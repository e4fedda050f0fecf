/*
 * Colours follow from names, so the names of a copy are changed and not the way of drawing.
 */
#include "runtime/fold/graph/graph_apart.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/profile/stacks.h"
#include "runtime/fold/symbols/frame_kind.h"

struct path {
	const char **frames;
	char *text; /* changed names */
	size_t text_bytes;
};

static bool is_off(const struct stacks_frame *frame)
{
	return strcmp(frame->name, FRAME_KIND_OFF_CPU) == 0;
}

static bool any_off(struct stacks *stacks)
{
	for (struct stacks_frame *frame = stacks_root(stacks); frame; frame = stacks_next(frame))
		if (frame->parent && is_off(frame))
			return true;
	return false;
}

/* Number of frames of a stack; *bytes: room for all their names, changed. */
static size_t measure(const struct stacks_frame *leaf, size_t *bytes)
{
	size_t depth = 0;

	*bytes = 0;
	for (; leaf->parent; leaf = leaf->parent, depth++)
		*bytes += strlen(leaf->name) + sizeof(FRAME_KIND_WAITING_SUFFIX);
	return depth;
}

static const char *changed(char **text, const char *name)
{
	char *made = *text;

	*text = stpcpy(stpcpy(made, name), FRAME_KIND_WAITING_SUFFIX) + 1;
	return made;
}

static int fill(struct path *path, const struct stacks_frame *leaf, size_t *depth)
{
	const struct stacks_frame *frame = leaf;
	size_t bytes, ignored;
	bool off = false;
	char *text;

	*depth = measure(leaf, &bytes);
	if (!path->text || bytes > path->text_bytes) {
		text = realloc(path->text, bytes);
		if (!text)
			return -ENOMEM;
		path->text = text;
		path->text_bytes = bytes;
	}
	for (size_t i = *depth; i-- > 0; frame = frame->parent)
		path->frames[i] = frame->name;
	text = path->text;
	for (size_t i = 0; i < *depth; i++) {
		enum frame_kind kind = frame_kind_of(path->frames[i], &ignored);

		if (off && kind == FRAME_KIND_USER)
			path->frames[i] = changed(&text, path->frames[i]);
		off |= strcmp(path->frames[i], FRAME_KIND_OFF_CPU) == 0;
	}
	return 0;
}

static int copy(struct stacks *from, struct stacks *to)
{
	struct path path = { .frames = calloc(stacks_depth(from) + 1, sizeof(*path.frames)) };
	int err = path.frames ? 0 : -ENOMEM;
	size_t depth;

	for (struct stacks_frame *frame = stacks_root(from); !err && frame;
	     frame = stacks_next(frame)) {
		if (!frame->self || !frame->parent)
			continue;
		err = fill(&path, frame, &depth);
		if (!err)
			err = stacks_add(to, path.frames, depth, frame->self);
	}
	free(path.frames);
	free(path.text);
	return err;
}

int graph_apart(struct stacks *stacks, struct stacks **apart)
{
	int err;

	*apart = NULL;
	if (!any_off(stacks))
		return 0;
	*apart = stacks_new();
	if (!*apart)
		return -ENOMEM;
	err = copy(stacks, *apart);
	if (err) {
		stacks_free(*apart);
		*apart = NULL;
		return err;
	}
	stacks_sort(*apart);
	return 0;
}

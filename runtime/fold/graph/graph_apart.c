/*
 * Colours depend on names, so the names of a copy are changed instead of the drawing.
 */
#include "runtime/fold/graph/graph_apart.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/symbols/frame_kind.h"

struct path {
	const char **frames;
	char *text; /* the changed names */
	size_t text_bytes;
};

static bool is_off(const struct frame *frame)
{
	return strcmp(frame->name, FRAME_KIND_OFF_CPU) == 0;
}

static bool any_off(struct frame_tree *tree)
{
	for (struct frame *frame = frame_tree_root(tree); frame; frame = frame_tree_next(frame))
		if (frame->parent && is_off(frame))
			return true;
	return false;
}

/* Returns the number of frames of a stack; *bytes is the size of all their changed names. */
static size_t measure(const struct frame *leaf, size_t *bytes)
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

static int fill(struct path *path, const struct frame *leaf, size_t *depth)
{
	const struct frame *frame = leaf;
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

static int copy(struct frame_tree *from, struct frame_tree *to)
{
	struct path path = { .frames = calloc(frame_tree_depth(from) + 1, sizeof(*path.frames)) };
	int err = path.frames ? 0 : -ENOMEM;
	size_t depth;

	for (struct frame *frame = frame_tree_root(from); !err && frame;
	     frame = frame_tree_next(frame)) {
		if (!frame->self || !frame->parent)
			continue;
		err = fill(&path, frame, &depth);
		if (!err)
			err = frame_tree_add(to, path.frames, depth, frame->self);
	}
	free(path.frames);
	free(path.text);
	return err;
}

int graph_apart(struct frame_tree *tree, struct frame_tree **apart)
{
	int err;

	*apart = NULL;
	if (!any_off(tree))
		return 0;
	*apart = frame_tree_new();
	if (!*apart)
		return -ENOMEM;
	err = copy(tree, *apart);
	if (err) {
		frame_tree_free(*apart);
		*apart = NULL;
		return err;
	}
	frame_tree_sort(*apart);
	return 0;
}

/* Colours depend on names, so the names of a copy are changed instead of the drawing. */
#include "runtime/output/graph/graph_picture.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/symbols/frame_kind.h"

struct marking {
	struct frame_tree_remaking remaking;
	char *text; /* holds the changed names of a stack */
	size_t text_bytes;
};

static bool is_off(const char *name)
{
	return strcmp(name, FRAME_KIND_OFF_CPU) == 0;
}

/* Returns true for code of which the colour shows that it waits; *bytes is the length of its name
 * without suffix. */
static bool waits(const char *name, size_t *bytes)
{
	enum frame_kind kind = frame_kind_of(name, bytes);

	return kind == FRAME_KIND_USER || kind == FRAME_KIND_INTERP;
}

static bool any_off(struct frame_tree *tree)
{
	for (struct frame *frame = frame_tree_root(tree); frame; frame = frame_tree_next(frame))
		if (frame->parent && is_off(frame->name))
			return true;
	return false;
}

static int make_room(struct marking *marking, const char **names, size_t depth)
{
	size_t bytes = 0;
	char *text;

	for (size_t i = 0; i < depth; i++)
		bytes += strlen(names[i]) + sizeof(FRAME_KIND_WAITING_SUFFIX);
	if (bytes <= marking->text_bytes)
		return 0;
	text = realloc(marking->text, bytes);
	if (!text)
		return -ENOMEM;
	marking->text = text;
	marking->text_bytes = bytes;
	return 0;
}

static int add_marked(void *context, const char **names, size_t depth, uint64_t value)
{
	struct marking *marking = context;
	int err = make_room(marking, names, depth);
	char *text = marking->text;
	bool off = false;

	if (err)
		return err;
	for (size_t i = 0; i < depth; i++) {
		const char *name = names[i];
		size_t bytes;
		bool marked = off && waits(name, &bytes);

		off |= is_off(name);
		if (marked) {
			names[i] = text;
			text = stpcpy(mempcpy(text, name, bytes), FRAME_KIND_WAITING_SUFFIX) + 1;
		}
	}
	return frame_tree_add(marking->remaking.made, names, depth, value);
}

int graph_apart(struct frame_tree *tree, struct frame_tree **apart)
{
	struct marking marking = { .text = NULL };
	int err = 0;

	*apart = NULL;
	if (any_off(tree))
		err = frame_tree_remake(tree, add_marked, &marking.remaking, apart);
	free(marking.text);
	return err;
}

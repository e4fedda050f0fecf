/*
 * The thread that runs main() also has the command's name.  So does the module of its functions
 * without symbols.
 */
#include "runtime/fold/report/renamed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/profile/frame_tree.h"

static bool has_command(struct frame_tree *tree, const char *name)
{
	const struct frame *frame = frame_tree_root(tree)->first_child;

	for (; frame; frame = frame->next_sibling)
		if (!strcmp(frame->name, name))
			return true;
	return false;
}

/* Returns the largest command that the other profile does not have. */
static const char *find_own(struct frame_tree *tree, struct frame_tree *other)
{
	const struct frame *largest = NULL;

	for (const struct frame *frame = frame_tree_root(tree)->first_child; frame;
	     frame = frame->next_sibling)
		if ((!largest || frame->total > largest->total) && !has_command(other, frame->name))
			largest = frame;
	return largest ? largest->name : NULL;
}

bool renamed_find(struct frame_tree *before, struct frame_tree *after, const char **old,
		  const char **new_name)
{
	*old = find_own(before, after);
	*new_name = find_own(after, before);
	return *old && *new_name;
}

struct change {
	struct frame_tree_remaking remaking;
	const char *old;
	const char *new_name;
	char *old_module; /* "[old]" */
	char *new_module;
	size_t outer;
	bool modules;
};

static int add_renamed(void *context, const char **names, size_t depth, uint64_t value)
{
	const struct change *change = context;
	bool renamed = !strcmp(names[0], change->old);

	for (size_t i = 0; renamed && i < depth; i++) {
		bool command = i < change->outer || change->modules;

		if (command && !strcmp(names[i], change->old))
			names[i] = change->new_name;
		else if (!strcmp(names[i], change->old_module))
			names[i] = change->new_module;
	}
	return frame_tree_add(change->remaking.made, names, depth, value);
}

/* Returns a text to be freed; NULL when memory is out. */
static char *bracketed(const char *name)
{
	char *text;

	return asprintf(&text, "[%s]", name) < 0 ? NULL : text;
}

int renamed_apply(struct frame_tree **tree, const char *old, const char *new_name, size_t outer,
		  bool modules)
{
	struct change change = {
		.old = old,
		.new_name = new_name,
		.old_module = bracketed(old),
		.new_module = bracketed(new_name),
		.outer = outer ? outer : 1,
		.modules = modules,
	};
	int err = change.old_module && change.new_module ? 0 : -ENOMEM;

	if (!err)
		err = frame_tree_replace(tree, add_renamed, &change.remaking);
	free(change.old_module);
	free(change.new_module);
	return err;
}

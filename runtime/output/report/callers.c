/*
 * One walk over the tree, parents before children, with the path from the root.  For each frame of
 * the path it keeps the position of the innermost match so far.
 */
#include "runtime/output/report/report.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/symbols/name_fit.h"

#define NAME_COLUMN 27 /* column where names start */

struct step {
	const struct frame *frame;
	size_t innermost; /* position on the path of the last match + 1; 0: none yet */
};

struct walk {
	const char *name;
	enum name_fit best; /* of the names in the tree */
	struct step *path;
	size_t depth;
	struct callers *found;
};

/* The first frame of a stack is its command. */
static enum name_fit best_fit(struct frame_tree *tree, const char *name)
{
	const struct frame *root = frame_tree_root(tree), *frame = root;
	enum name_fit best = NAME_FIT_NONE;

	while ((frame = frame_tree_next(frame))) {
		enum name_fit fit =
			frame->parent == root ? NAME_FIT_NONE : name_fit(name, frame->name);

		best = fit > best ? fit : best;
	}
	return best;
}

static bool matches(const struct walk *walk, const char *name)
{
	return walk->best != NAME_FIT_NONE && name_fit(walk->name, name) == walk->best;
}

static int enter(struct walk *walk, const struct frame *frame)
{
	struct step *top;
	size_t above;
	int err = 0;

	while (walk->depth && walk->path[walk->depth - 1].frame != frame->parent)
		walk->depth--;
	above = walk->depth ? walk->path[walk->depth - 1].innermost : 0;
	top = &walk->path[walk->depth++];
	*top = (struct step){ frame, above };
	if (walk->depth > 1 && matches(walk, frame->name)) {
		top->innermost = walk->depth;
		if (!above) {
			walk->found->total += frame->total;
			err = frame_tree_add(walk->found->callers, &frame->parent->name, 1,
					     frame->total);
		}
	}
	if (err || !top->innermost || !frame->self)
		return err;
	if (top->innermost < walk->depth)
		return frame_tree_add(walk->found->callees, &walk->path[top->innermost].frame->name,
				      1, frame->self);
	walk->found->self += frame->self;
	return 0;
}

int callers_find(struct frame_tree *tree, const char *name, struct callers *found)
{
	struct walk walk = {
		.name = name,
		.best = best_fit(tree, name),
		.path = calloc(frame_tree_depth(tree) + 1, sizeof(*walk.path)),
		.found = found,
	};
	const struct frame *frame = frame_tree_root(tree);
	int err;

	*found = (struct callers){ .callers = frame_tree_new(), .callees = frame_tree_new() };
	err = walk.path && found->callers && found->callees ? 0 : -ENOMEM;
	while (!err && (frame = frame_tree_next(frame)))
		err = enter(&walk, frame);
	free(walk.path);
	if (err) {
		callers_free(found);
		return err;
	}
	frame_tree_sort_by(found->callers, true);
	frame_tree_sort_by(found->callees, true);
	return 0;
}

void callers_free(struct callers *found)
{
	frame_tree_free(found->callers);
	frame_tree_free(found->callees);
	*found = (struct callers){ 0 };
}

static void print_row(uint64_t value, uint64_t whole, const char *name, unsigned columns,
		      FILE *file)
{
	size_t cells = columns > NAME_COLUMN + 8 ? columns - NAME_COLUMN : columns ? 8 : SIZE_MAX;

	fprintf(file, "%6.2f %% %14llu    ", maths_percent(value, whole),
		(unsigned long long)value);
	safe_text_terminal(file, name, cells);
	fputc('\n', file);
}

static void print_list(struct frame_tree *list, uint64_t whole, unsigned rows, unsigned columns,
		       FILE *file)
{
	const struct frame *frame = frame_tree_root(list)->first_child;
	size_t shown = 0, more = 0;

	for (; frame && (!rows || shown < rows); frame = frame->next_sibling, shown++)
		print_row(frame->total, whole, frame->name, columns, file);
	for (; frame; frame = frame->next_sibling)
		more++;
	if (more)
		fprintf(file, "%27s%zu more\n", "", more);
}

void callers_print(const struct callers *found, const char *name, const char *unit, unsigned rows,
		   unsigned columns, FILE *file)
{
	uint64_t whole = found->total;

	fprintf(file, "   share %14s    callers of ", unit);
	safe_text_terminal(file, name, columns > 50 ? columns - 38 : SIZE_MAX);
	fputc('\n', file);
	print_list(found->callers, whole, rows, columns, file);
	fprintf(file, "\n   share %14s    callees\n", unit);
	print_row(found->self, whole, "(itself)", columns, file);
	print_list(found->callees, whole, rows, columns, file);
}

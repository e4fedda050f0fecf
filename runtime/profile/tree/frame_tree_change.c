/*
 * Sorts siblings, by name, which readers of two trees need, or by value; and builds trees from the
 * stacks of other trees, stack by stack.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/order.h"
#include "runtime/profile/tree/frame_tree.h"

#define MERGE_BINS 64 /* list lengths are powers of two below 2^64 */

static int by_name(const struct frame *a, const struct frame *b)
{
	return strcmp(a->name, b->name);
}

static int by_total(const struct frame *a, const struct frame *b)
{
	return order_of(b->total, a->total) ?: by_name(a, b);
}

static int by_self(const struct frame *a, const struct frame *b)
{
	return order_of(b->self, a->self) ?: by_total(a, b);
}

typedef int compare_frames(const struct frame *a, const struct frame *b);

static struct frame *merge(struct frame *a, struct frame *b, compare_frames *compare)
{
	struct frame *head = NULL;
	struct frame **tail = &head;

	while (a && b) {
		struct frame **first = compare(a, b) <= 0 ? &a : &b;

		*tail = *first;
		tail = &(*first)->next_sibling;
		*first = (*first)->next_sibling;
	}
	*tail = a ? a : b;
	return head;
}

/* Merge sort that allocates no memory: bin[i] holds a sorted list of 2^i frames or none. */
static struct frame *sorted(struct frame *list, compare_frames *compare)
{
	struct frame *bin[MERGE_BINS] = { NULL };
	struct frame *result = NULL;

	while (list) {
		struct frame *one = list;
		size_t i;

		list = list->next_sibling;
		one->next_sibling = NULL;
		for (i = 0; bin[i]; i++) {
			one = merge(bin[i], one, compare);
			bin[i] = NULL;
		}
		bin[i] = one;
	}
	for (size_t i = 0; i < MERGE_BINS; i++)
		result = merge(bin[i], result, compare);
	return result;
}

static void sort(struct frame_tree *tree, compare_frames *compare)
{
	for (struct frame *frame = frame_tree_root(tree); frame; frame = frame_tree_next(frame))
		frame->first_child = sorted(frame->first_child, compare);
}

void frame_tree_sort(struct frame_tree *tree)
{
	sort(tree, by_name);
}

int frame_tree_end(struct frame_tree *made, int err, struct frame_tree **tree)
{
	if (err) {
		frame_tree_free(made);
		return err;
	}
	frame_tree_sort(made);
	*tree = made;
	return 0;
}

void frame_tree_sort_by(struct frame_tree *tree, bool total)
{
	sort(tree, total ? by_total : by_self);
}

int frame_tree_each(struct frame_tree *tree, frame_tree_visit *visit, void *context)
{
	const char **names = calloc(frame_tree_depth(tree) + 1, sizeof(*names));
	int err = names ? 0 : -ENOMEM;

	for (struct frame *frame = frame_tree_root(tree); frame && !err;
	     frame = frame_tree_next(frame)) {
		size_t depth = frame->self ? frame_tree_path(frame, names) : 0;

		if (depth)
			err = visit(context, names, depth, frame->self);
	}
	free(names);
	return err;
}

int frame_tree_remake(struct frame_tree *tree, frame_tree_visit *visit,
		      struct frame_tree_remaking *remaking, struct frame_tree **made)
{
	int err;

	remaking->made = frame_tree_new();
	err = remaking->made ? frame_tree_each(tree, visit, remaking) : -ENOMEM;
	return frame_tree_end(remaking->made, err, made);
}

int frame_tree_replace(struct frame_tree **tree, frame_tree_visit *visit,
		       struct frame_tree_remaking *remaking)
{
	struct frame_tree *old = *tree;
	int err = frame_tree_remake(old, visit, remaking, tree);

	if (!err)
		frame_tree_free(old);
	return err;
}

void frame_tree_reverse_names(const char **names, size_t depth, size_t kept)
{
	for (size_t i = kept, k = depth; i + 1 < k; i++) {
		const char *name = names[i];

		names[i] = names[--k];
		names[k] = name;
	}
}

struct reversal {
	struct frame_tree_remaking remaking;
	size_t kept;
};

static int add_reversed(void *context, const char **names, size_t depth, uint64_t value)
{
	struct reversal *reversal = context;

	frame_tree_reverse_names(names, depth, reversal->kept);
	return frame_tree_add(reversal->remaking.made, names, depth, value);
}

int frame_tree_reverse(struct frame_tree **tree, size_t kept)
{
	struct reversal reversal = { .kept = kept };

	return frame_tree_replace(tree, add_reversed, &reversal.remaking);
}

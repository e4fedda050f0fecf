/*
 * Siblings in an order: by name, which readers of two trees rely on, or by value.
 */
#include <string.h>

#include "runtime/fold/profile/stacks.h"

#define MERGE_BINS 64 /* list lengths are powers of two below 2^64 */

static int by_name(const struct stacks_frame *a, const struct stacks_frame *b)
{
	return strcmp(a->name, b->name);
}

static int by_total(const struct stacks_frame *a, const struct stacks_frame *b)
{
	return a->total == b->total ? by_name(a, b) : a->total > b->total ? -1 : 1;
}

static int by_self(const struct stacks_frame *a, const struct stacks_frame *b)
{
	return a->self == b->self ? by_total(a, b) : a->self > b->self ? -1 : 1;
}

typedef int compare_frames(const struct stacks_frame *a, const struct stacks_frame *b);

static struct stacks_frame *merge(struct stacks_frame *a, struct stacks_frame *b,
				  compare_frames *compare)
{
	struct stacks_frame *head = NULL;
	struct stacks_frame **tail = &head;

	while (a && b) {
		struct stacks_frame **first = compare(a, b) <= 0 ? &a : &b;

		*tail = *first;
		tail = &(*first)->next_sibling;
		*first = (*first)->next_sibling;
	}
	*tail = a ? a : b;
	return head;
}

/* Merge sort without memory of its own: bin[i] holds a sorted list of 2^i frames or none. */
static struct stacks_frame *sorted(struct stacks_frame *list, compare_frames *compare)
{
	struct stacks_frame *bin[MERGE_BINS] = { NULL };
	struct stacks_frame *result = NULL;

	while (list) {
		struct stacks_frame *one = list;
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

static void sort(struct stacks *stacks, compare_frames *compare)
{
	for (struct stacks_frame *frame = stacks_root(stacks); frame; frame = stacks_next(frame))
		frame->first_child = sorted(frame->first_child, compare);
}

void stacks_sort(struct stacks *stacks)
{
	sort(stacks, by_name);
}

void stacks_sort_by(struct stacks *stacks, bool total)
{
	sort(stacks, total ? by_total : by_self);
}

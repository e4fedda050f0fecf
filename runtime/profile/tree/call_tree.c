/*
 * Nodes are numbered as they are made, so a parent's number is below its children's.  Each counter
 * has its own array of weights, which grows only as far as it is used.
 */
#include "runtime/profile/tree/call_tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/frame_tree.h"

struct weights {
	struct spool_read_weight *weight; /* by node */
	uint32_t count;
};

struct call_tree {
	struct map edges; /* {parent, name} to node */
	struct call_tree_node *nodes;
	uint32_t count;
	struct weights *counters;
	uint32_t counter_count;
};

struct call_tree *call_tree_new(void)
{
	struct call_tree *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return NULL;
	if (!grow(&calls->nodes, 0, sizeof(*calls->nodes))) {
		free(calls);
		return NULL;
	}
	calls->nodes[calls->count++] = (struct call_tree_node){ 0 };
	return calls;
}

void call_tree_free(struct call_tree *calls)
{
	if (!calls)
		return;
	for (uint32_t i = 0; i < calls->counter_count; i++)
		free(calls->counters[i].weight);
	free(calls->counters);
	free(calls->nodes);
	map_free(&calls->edges);
	free(calls);
}

uint32_t call_tree_child(struct call_tree *calls, uint32_t parent, uint32_t name)
{
	uint32_t *node;

	if (calls->nodes[parent].depth >= CALL_TREE_DEPTH_MAX)
		return parent;
	node = map_at(&calls->edges, parent, name);
	if (!node)
		return CALL_TREE_NONE;
	if (*node)
		return *node;
	if (calls->count == CALL_TREE_NONE ||
	    !grow(&calls->nodes, calls->count, sizeof(*calls->nodes)))
		return CALL_TREE_NONE;
	*node = calls->count++;
	calls->nodes[*node] =
		(struct call_tree_node){ parent, name, calls->nodes[parent].depth + 1 };
	return *node;
}

static int make_room(struct call_tree *calls, uint32_t node, uint32_t counter)
{
	struct weights *weights;

	while (counter >= calls->counter_count) {
		if (!grow(&calls->counters, calls->counter_count, sizeof(*weights)))
			return -ENOMEM;
		calls->counters[calls->counter_count++] = (struct weights){ 0 };
	}
	weights = &calls->counters[counter];
	while (node >= weights->count) {
		if (!grow(&weights->weight, weights->count, sizeof(*weights->weight)))
			return -ENOMEM;
		weights->weight[weights->count++] = (struct spool_read_weight){ 0 };
	}
	return 0;
}

static void add_saturated(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

int call_tree_add(struct call_tree *calls, uint32_t node, uint32_t counter,
		  const struct spool_read_weight *weight)
{
	struct spool_read_weight *to;

	if (make_room(calls, node, counter))
		return -ENOMEM;
	to = &calls->counters[counter].weight[node];
	add_saturated(&to->samples, weight->samples);
	add_saturated(&to->events, weight->events);
	return 0;
}

uint32_t call_tree_count(const struct call_tree *calls)
{
	return calls->count;
}

struct call_tree_node call_tree_node(const struct call_tree *calls, uint32_t node)
{
	return calls->nodes[node];
}

struct spool_read_weight call_tree_weight(const struct call_tree *calls, uint32_t node,
					  uint32_t counter)
{
	if (counter >= calls->counter_count || node >= calls->counters[counter].count)
		return (struct spool_read_weight){ 0, 0 };
	return calls->counters[counter].weight[node];
}

struct spool_read_weight call_tree_sum(const struct call_tree *calls, uint32_t counter)
{
	struct spool_read_weight sum = { 0, 0 };

	if (counter >= calls->counter_count)
		return sum;
	for (uint32_t i = 0; i < calls->counters[counter].count; i++) {
		add_saturated(&sum.samples, calls->counters[counter].weight[i].samples);
		add_saturated(&sum.events, calls->counters[counter].weight[i].events);
	}
	return sum;
}

int call_tree_to_frames(const struct call_tree *calls, const struct string_table *strings,
			uint32_t counter, bool events, struct frame_tree *tree)
{
	const char *frames[CALL_TREE_DEPTH_MAX];
	const struct weights *weights;
	int err = 0;

	if (counter >= calls->counter_count)
		return 0;
	weights = &calls->counters[counter];
	for (uint32_t i = 1; !err && i < weights->count; i++) {
		const struct spool_read_weight *weight = &weights->weight[i];
		uint64_t value = events ? weight->events : weight->samples;
		uint32_t depth = calls->nodes[i].depth;
		uint32_t at = i;

		if (!value)
			continue;
		for (uint32_t left = depth; left; left--) {
			frames[left - 1] = string_table_text(strings, calls->nodes[at].name);
			at = calls->nodes[at].parent;
		}
		err = frame_tree_add(tree, frames, depth, value);
	}
	return err;
}

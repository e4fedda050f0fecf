/*
 * Nodes are numbered as they are made, so a parent's number is below its children's.
 * Each counter has its own array of weights, as long as it ever needed to be.
 */
#include "runtime/fold/profile/contexts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/base/map.h"
#include "runtime/fold/base/string_table.h"
#include "runtime/fold/profile/stacks.h"

struct node {
	uint32_t parent;
	uint32_t name;
	uint32_t depth;
};

struct weights {
	struct spool_read_weight *weight; /* by node */
	uint32_t capacity;
};

struct contexts {
	struct map *edges; /* {parent, name} to node */
	struct node *nodes;
	uint32_t count;
	uint32_t capacity;
	struct weights *counters;
	uint32_t counter_count;
};

struct contexts *contexts_new(void)
{
	struct contexts *contexts = calloc(1, sizeof(*contexts));

	if (!contexts)
		return NULL;
	contexts->edges = map_new();
	contexts->nodes = calloc(1024, sizeof(*contexts->nodes));
	contexts->capacity = 1024;
	contexts->count = 1;
	if (contexts->edges && contexts->nodes)
		return contexts;
	contexts_free(contexts);
	return NULL;
}

void contexts_free(struct contexts *contexts)
{
	if (!contexts)
		return;
	for (uint32_t i = 0; i < contexts->counter_count; i++)
		free(contexts->counters[i].weight);
	free(contexts->counters);
	free(contexts->nodes);
	map_free(contexts->edges);
	free(contexts);
}

uint32_t contexts_child(struct contexts *contexts, uint32_t parent, uint32_t name)
{
	uint32_t *node;

	if (contexts->nodes[parent].depth >= CONTEXTS_DEPTH_MAX)
		return parent;
	node = map_at(contexts->edges, parent, name);
	if (!node)
		return CONTEXTS_NONE;
	if (*node)
		return *node;
	if (contexts->count == contexts->capacity) {
		uint32_t capacity = contexts->capacity * 2;
		struct node *grown;

		grown = reallocarray(contexts->nodes, capacity, sizeof(*grown));
		if (!grown || capacity < contexts->capacity)
			return CONTEXTS_NONE;
		contexts->nodes = grown;
		contexts->capacity = capacity;
	}
	*node = contexts->count++;
	contexts->nodes[*node] = (struct node){ parent, name, contexts->nodes[parent].depth + 1 };
	return *node;
}

static int make_room(struct contexts *contexts, uint32_t node, uint32_t counter)
{
	struct weights *weights;
	struct spool_read_weight *grown;

	if (counter >= contexts->counter_count) {
		weights = reallocarray(contexts->counters, counter + 1, sizeof(*weights));
		if (!weights)
			return -ENOMEM;
		memset(weights + contexts->counter_count, 0,
		       (counter + 1 - contexts->counter_count) * sizeof(*weights));
		contexts->counters = weights;
		contexts->counter_count = counter + 1;
	}
	weights = &contexts->counters[counter];
	if (node < weights->capacity)
		return 0;
	grown = reallocarray(weights->weight, contexts->capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + weights->capacity, 0,
	       (contexts->capacity - weights->capacity) * sizeof(*grown));
	weights->weight = grown;
	weights->capacity = contexts->capacity;
	return 0;
}

static void add_saturated(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

int contexts_add(struct contexts *contexts, uint32_t node, uint32_t counter,
		 const struct spool_read_weight *weight)
{
	struct spool_read_weight *to;

	if (make_room(contexts, node, counter))
		return -ENOMEM;
	to = &contexts->counters[counter].weight[node];
	add_saturated(&to->samples, weight->samples);
	add_saturated(&to->events, weight->events);
	return 0;
}

uint32_t contexts_count(const struct contexts *contexts)
{
	return contexts->count;
}

uint32_t contexts_parent(const struct contexts *contexts, uint32_t node)
{
	return contexts->nodes[node].parent;
}

uint32_t contexts_name(const struct contexts *contexts, uint32_t node)
{
	return contexts->nodes[node].name;
}

uint32_t contexts_depth(const struct contexts *contexts, uint32_t node)
{
	return contexts->nodes[node].depth;
}

struct spool_read_weight contexts_weight(const struct contexts *contexts, uint32_t node,
					 uint32_t counter)
{
	if (counter >= contexts->counter_count || node >= contexts->counters[counter].capacity)
		return (struct spool_read_weight){ 0, 0 };
	return contexts->counters[counter].weight[node];
}

struct spool_read_weight contexts_sum(const struct contexts *contexts, uint32_t counter)
{
	struct spool_read_weight sum = { 0, 0 };

	if (counter >= contexts->counter_count)
		return sum;
	for (uint32_t i = 0; i < contexts->counters[counter].capacity; i++) {
		add_saturated(&sum.samples, contexts->counters[counter].weight[i].samples);
		add_saturated(&sum.events, contexts->counters[counter].weight[i].events);
	}
	return sum;
}

int contexts_stacks(const struct contexts *contexts, const struct string_table *strings,
		    uint32_t counter, bool events, struct stacks *stacks)
{
	const char *frames[CONTEXTS_DEPTH_MAX];
	const struct weights *weights;
	int err = 0;

	if (counter >= contexts->counter_count)
		return 0;
	weights = &contexts->counters[counter];
	for (uint32_t i = 1; !err && i < contexts->count && i < weights->capacity; i++) {
		const struct spool_read_weight *weight = &weights->weight[i];
		uint64_t value = events ? weight->events : weight->samples;
		uint32_t depth = contexts->nodes[i].depth;
		uint32_t at = i;

		if (!value)
			continue;
		for (uint32_t left = depth; left; left--) {
			frames[left - 1] = string_table_text(strings, contexts->nodes[at].name);
			at = contexts->nodes[at].parent;
		}
		err = stacks_add(stacks, frames, depth, value);
	}
	return err;
}

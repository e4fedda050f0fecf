/*
 * Each node that a sample of off-cpu ends in has the number of its row.  A row is found by its
 * text, so that stacks with one text share one row.
 */
#include "runtime/output/page/viewer_waits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/json.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/analysis/wait_sites.h"
#include "runtime/output/page/viewer_nodes.h"
#include "runtime/output/page/viewer_samples.h"

#define OUTER 1 /* the command's frame is no function */

/* A stack, outermost frame first. */
struct stack {
	const char **names;
	uint32_t *nodes; /* of merge->calls */
	size_t depth;
};

static int read_stack(const struct profile_trees *merge, uint32_t leaf, struct stack *stack)
{
	uint32_t depth = call_tree_node(merge->calls, leaf).depth;

	stack->depth = depth;
	stack->names = calloc(depth + 1, sizeof(*stack->names));
	stack->nodes = calloc(depth + 1, sizeof(*stack->nodes));
	if (!stack->names || !stack->nodes)
		return -ENOMEM;
	for (uint32_t node = leaf; depth; node = call_tree_node(merge->calls, node).parent) {
		stack->nodes[--depth] = node;
		stack->names[depth] =
			string_table_text(&merge->strings, call_tree_node(merge->calls, node).name);
	}
	return 0;
}

/* Returns 0 with the number of the row of a stack, or -ENOMEM. */
static int find_row(struct viewer_waits *waits, struct viewer_nodes *nodes,
		    const struct stack *stack, uint32_t *row)
{
	size_t function;
	char *text;
	int err = wait_sites_label(nodes->merge->waits, stack->names, stack->depth, OUTER,
				   &function, &text);

	if (err)
		return err;
	*row = string_table_intern(&waits->rows, text, strlen(text));
	free(text);
	if (!*row)
		return -ENOMEM;
	if (*row <= waits->functions)
		return 0;
	if (!grow(&waits->function, waits->functions, sizeof(*waits->function)))
		return -ENOMEM;
	waits->function[waits->functions++] =
		viewer_nodes_name(nodes, nodes->number[stack->nodes[function]]);
	return 0;
}

static int add_node(struct viewer_waits *waits, struct viewer_nodes *nodes, uint32_t leaf)
{
	struct stack stack = { 0 };
	uint32_t *row = &waits->row[nodes->number[leaf]];
	int err;

	if (leaf == CALL_TREE_ROOT || *row)
		return 0;
	err = read_stack(nodes->merge, leaf, &stack);
	if (!err)
		err = find_row(waits, nodes, &stack, row);
	free(stack.names);
	free(stack.nodes);
	return err;
}

static bool is_off_cpu(const struct viewer_samples *samples, const struct timeline_sample *sample)
{
	return profile_counter(samples->profile, sample->counter)->flags & SPOOL_COUNTER_OFF_CPU;
}

int viewer_waits_make(struct viewer_waits *waits, struct viewer_nodes *nodes,
		      const struct viewer_samples *samples)
{
	const struct timeline_sample *sample = NULL;
	int err = 0;

	*waits = (struct viewer_waits){ .row = calloc(nodes->count + 1, sizeof(*waits->row)) };
	if (!waits->row)
		return -ENOMEM;
	while (nodes->merge->waits && !err && (sample = viewer_samples_next(samples, sample)))
		if (is_off_cpu(samples, sample))
			err = add_node(waits, nodes, sample->node);
	return err;
}

void viewer_waits_free(struct viewer_waits *waits)
{
	string_table_free(&waits->rows);
	free(waits->function);
	free(waits->row);
}

void viewer_waits_json(const struct viewer_waits *waits, struct json *json)
{
	json_list(json, "waits");
	for (uint32_t i = 0; i < waits->functions; i++) {
		json_list(json, NULL);
		json_text(json, NULL, string_table_text(&waits->rows, i + 1));
		json_uint(json, NULL, waits->function[i]);
		json_end(json, "]");
	}
	json_end(json, "]");
}

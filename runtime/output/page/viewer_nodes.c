/*
 * The module of a frame is that of its address.  The tree by address (merge.locations) is climbed
 * beside the tree by name, from the leaf of a sample on.  A location stands for several frames
 * where functions are inlined, and some frames have no location: those whose names do not match.
 *
 * Rows of waits are found by their texts, so that stacks with one text share one row.
 */
#include "runtime/output/page/viewer_parts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/json.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/analysis/wait_sites.h"
#include "runtime/profile/symbols/frame_kind.h"

#define OUTER 1 /* the command's frame is no function */

/* A place on the way from a leaf to its thread, in the tree by address. */
struct climb {
	const struct locations *locations;
	uint32_t node; /* of locations->calls; the root: the way has ended */
	struct location at;
	struct location_line lines[LOCATIONS_LINES_MAX]; /* of the functions there, innermost
							    first */
	size_t count;
	size_t passed;
};

static void arrive(struct climb *climb, uint32_t node)
{
	struct call_tree_node here = call_tree_node(climb->locations->calls, node);

	climb->passed = 0;
	climb->node = CALL_TREE_ROOT;
	if (here.depth < 2) /* a thread, not a location */
		return;
	climb->node = node;
	climb->at = locations_get(climb->locations, here.name);
	climb->count = locations_lines(climb->locations, climb->at.lines, climb->lines);
	if (!climb->count) {
		climb->lines[0].name = climb->at.name;
		climb->count = 1;
	}
}

static void pass(struct climb *climb)
{
	if (++climb->passed == climb->count)
		arrive(climb, call_tree_node(climb->locations->calls, climb->node).parent);
}

/* A frame's name may have more behind that of the function: its line, or a suffix. */
static bool is_named(const struct climb *climb, uint32_t name)
{
	uint32_t function = climb->lines[climb->passed].name;
	const char *text = string_table_text(climb->locations->strings, function);
	size_t bytes;

	if (name == function)
		return true;
	if (!climb->locations->options.lines && !climb->locations->options.inlined)
		return false;
	frame_kind_of(text, &bytes);
	return !strncmp(text, string_table_text(climb->locations->strings, name), bytes);
}

static int set_module(struct viewer_nodes *nodes, const struct climb *climb, uint32_t node)
{
	const struct locations *locations = climb->locations;
	const char *path;

	if (!climb->at.mapping)
		return 0;
	path = string_table_text(locations->strings,
				 locations->mappings[climb->at.mapping - 1].path);
	nodes->module[node] = string_table_intern(&nodes->modules, path, strlen(path));
	return nodes->module[node] ? 0 : -ENOMEM;
}

/* Find the modules of a stack's frames; `seen` has those whose stacks were climbed before. */
static int find_modules(struct viewer_nodes *nodes, uint32_t node, uint32_t location, bool *seen)
{
	struct climb climb = { .locations = nodes->merge->locations };
	int err = 0;

	arrive(&climb, location);
	for (; !err && node && !seen[node];
	     node = call_tree_node(nodes->merge->calls, node).parent) {
		seen[node] = true;
		if (!climb.node ||
		    !is_named(&climb, call_tree_node(nodes->merge->calls, node).name))
			continue;
		err = set_module(nodes, &climb, node);
		pass(&climb);
	}
	return err;
}

static int find_all_modules(struct viewer_nodes *nodes, const struct viewer_samples *samples)
{
	uint32_t count = call_tree_count(nodes->merge->calls);
	const struct locations *locations = nodes->merge->locations;
	const struct timeline_sample *sample = NULL;
	uint32_t known = locations ? call_tree_count(locations->calls) : 0;
	bool *seen = calloc(count, sizeof(*seen));
	int err = seen ? 0 : -ENOMEM;

	while (!err && (sample = viewer_samples_next(samples, sample)))
		if (sample->location && sample->location < known)
			err = find_modules(nodes, sample->node, sample->location, seen);
	free(seen);
	return err;
}

static int choose_nodes(struct viewer_nodes *nodes, const struct viewer_samples *samples)
{
	uint32_t all = call_tree_count(nodes->merge->calls);
	const struct timeline_sample *sample = NULL;

	nodes->number = calloc(all, sizeof(*nodes->number));
	if (!nodes->number)
		return -ENOMEM;
	nodes->number[CALL_TREE_ROOT] = 1;
	while ((sample = viewer_samples_next(samples, sample)))
		nodes->number[sample->node] = 1;
	for (uint32_t i = all - 1; i > 0; i--)
		if (nodes->number[i])
			nodes->number[call_tree_node(nodes->merge->calls, i).parent] = 1;
	for (uint32_t i = 0; i < all; i++)
		nodes->count += nodes->number[i];
	nodes->node = calloc(nodes->count, sizeof(*nodes->node));
	if (!nodes->node)
		return -ENOMEM;
	nodes->count = 0;
	for (uint32_t i = 0; i < all; i++) {
		if (!nodes->number[i])
			continue;
		nodes->number[i] = nodes->count;
		nodes->node[nodes->count++] = i;
	}
	return 0;
}

static int number_names(struct viewer_nodes *nodes)
{
	if (!grow(&nodes->names, 0, sizeof(*nodes->names)))
		return -ENOMEM;
	nodes->names[nodes->name_count++] = "all";
	for (uint32_t i = 1; i < nodes->count; i++) {
		uint32_t name = call_tree_node(nodes->merge->calls, nodes->node[i]).name;
		uint32_t *known = map_at(&nodes->name_numbers, name, 0);

		if (known && *known)
			continue;
		if (!known || !grow(&nodes->names, nodes->name_count, sizeof(*nodes->names)))
			return -ENOMEM;
		nodes->names[nodes->name_count++] = string_table_text(&nodes->merge->strings, name);
		*known = nodes->name_count;
	}
	return 0;
}

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
static int find_row(struct viewer_nodes *nodes, const struct stack *stack, uint32_t *row)
{
	size_t function;
	char *text;
	int err = wait_sites_label(nodes->merge->waits, stack->names, stack->depth, OUTER,
				   &function, &text);

	if (err)
		return err;
	*row = string_table_intern(&nodes->wait_rows, text, strlen(text));
	free(text);
	if (!*row)
		return -ENOMEM;
	if (*row <= nodes->wait_count)
		return 0;
	if (!grow(&nodes->wait_function, nodes->wait_count, sizeof(*nodes->wait_function)))
		return -ENOMEM;
	nodes->wait_function[nodes->wait_count++] =
		viewer_nodes_name(nodes, nodes->number[stack->nodes[function]]);
	return 0;
}

static int find_wait(struct viewer_nodes *nodes, uint32_t leaf)
{
	struct stack stack = { 0 };
	uint32_t *row = &nodes->wait[nodes->number[leaf]];
	int err;

	if (leaf == CALL_TREE_ROOT || *row)
		return 0;
	err = read_stack(nodes->merge, leaf, &stack);
	if (!err)
		err = find_row(nodes, &stack, row);
	free(stack.names);
	free(stack.nodes);
	return err;
}

static bool is_off_cpu(const struct viewer_samples *samples, const struct timeline_sample *sample)
{
	return profile_counter(samples->profile, sample->counter)->flags & SPOOL_COUNTER_OFF_CPU;
}

static int find_all_waits(struct viewer_nodes *nodes, const struct viewer_samples *samples)
{
	const struct timeline_sample *sample = NULL;
	int err = 0;

	nodes->wait = calloc(nodes->count + 1, sizeof(*nodes->wait));
	if (!nodes->wait)
		return -ENOMEM;
	while (nodes->merge->waits && !err && (sample = viewer_samples_next(samples, sample)))
		if (is_off_cpu(samples, sample))
			err = find_wait(nodes, sample->node);
	return err;
}

int viewer_nodes_make(struct viewer_nodes *nodes, const struct profile_trees *merge,
		      const struct viewer_samples *samples)
{
	int err;

	*nodes = (struct viewer_nodes){ .merge = merge };
	nodes->module = calloc(call_tree_count(merge->calls), sizeof(*nodes->module));
	err = nodes->module ? choose_nodes(nodes, samples) : -ENOMEM;
	if (!err)
		err = find_all_modules(nodes, samples);
	if (!err)
		err = number_names(nodes);
	return err ? err : find_all_waits(nodes, samples);
}

void viewer_nodes_free(struct viewer_nodes *nodes)
{
	map_free(&nodes->name_numbers);
	free(nodes->number);
	free(nodes->node);
	free(nodes->names);
	free(nodes->module);
	string_table_free(&nodes->modules);
	string_table_free(&nodes->wait_rows);
	free(nodes->wait_function);
	free(nodes->wait);
}

uint32_t viewer_nodes_name(struct viewer_nodes *nodes, uint32_t node)
{
	const uint32_t *known;

	if (node == CALL_TREE_ROOT)
		return 0;
	known = map_at(&nodes->name_numbers,
		       call_tree_node(nodes->merge->calls, nodes->node[node]).name, 0);
	return known && *known ? *known - 1 : 0;
}

void viewer_nodes_waits(const struct viewer_nodes *nodes, struct json *json)
{
	json_list(json, "waits");
	for (uint32_t i = 0; i < nodes->wait_count; i++) {
		json_list(json, NULL);
		json_text(json, NULL, string_table_text(&nodes->wait_rows, i + 1));
		json_uint(json, NULL, nodes->wait_function[i]);
		json_end(json, "]");
	}
	json_end(json, "]");
}

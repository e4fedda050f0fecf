/*
 * The addresses of a spool are turned into names at once and added to one tree; then the spool is
 * freed.  So memory grows with the number of distinct call paths, not with the number of processes.
 */
#include "runtime/profile/merge/profile_trees.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/analysis/missing_symbols.h"
#include "runtime/profile/analysis/interp_view.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/tree/label_split.h"
#include "runtime/profile/tree/stack_frames.h"
#include "runtime/profile/analysis/selection.h"
#include "runtime/profile/time/timeline.h"
#include "runtime/profile/analysis/truncations.h"
#include "runtime/profile/analysis/wait_sites.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/data_frames.h"
#include "runtime/profile/symbols/lines.h"
#include "runtime/profile/symbols/machine.h"
#include "runtime/profile/symbols/namer.h"
#include "runtime/spool/spool_settings.h"

/* The destination for the nodes of one spool. */
struct spool_walk {
	struct profile_trees *merge;
	const struct spool_read *spool;
	const uint32_t *counter; /* maps the spool's counters to the profile's */
	struct interp_view *view;
	struct label_split *split; /* NULL: labels were not asked for */
	struct stack_frames frames;
	uint32_t command;    /* node of the process */
	bool trapped_after;  /* leaves of watchpoints are the instruction after the access */
	uint32_t *nodes;     /* by node of the thread being added */
	uint32_t *locations; /* the same nodes in merge->locations */
	size_t capacity;
};

int profile_trees_open(struct profile_trees *merge, const struct profile_options *options)
{
	struct machine *machine = options->machine;

	*merge = (struct profile_trees){ .options = *options };
	if (!machine)
		machine = merge->machine = machine_new(options->warn);
	merge->calls = call_tree_new();
	merge->namer = namer_new(&merge->strings, machine, !options->no_demangle, options->tidy);
	merge->truncations = truncations_new(merge->namer);
	merge->lines = lines_new(merge->namer, &merge->strings);
	if (options->waits)
		merge->waits = wait_sites_new(&merge->strings, merge->namer);
	if (options->gaps)
		merge->gaps = missing_symbols_new(merge->namer);
	if (options->locations)
		merge->locations = locations_new(merge->namer, &merge->strings, options);
	if (options->timeline)
		merge->timeline = timeline_new(&merge->strings);
	if (machine && merge->calls && merge->namer && merge->truncations && merge->lines &&
	    !merge->waits == !options->waits && !merge->gaps == !options->gaps &&
	    !merge->locations == !options->locations && !merge->timeline == !options->timeline)
		return 0;
	profile_trees_close(merge);
	return -ENOMEM;
}

void profile_trees_close(struct profile_trees *merge)
{
	timeline_axis_free(&merge->axis);
	timeline_free(merge->timeline);
	locations_free(merge->locations);
	missing_symbols_free(merge->gaps);
	wait_sites_free(merge->waits);
	lines_free(merge->lines);
	truncations_free(merge->truncations);
	namer_free(merge->namer);
	machine_free(merge->machine);
	string_table_free(&merge->strings);
	call_tree_free(merge->calls);
	free(merge->rules);
}

static uint32_t parent_of(const struct spool_walk *walk, const struct spool_read_node *node)
{
	uint32_t thread = walk->frames.thread;

	if (node->parent == SPOOL_READ_ORPHAN)
		return stack_frames_child(&walk->frames, thread, "[damaged]");
	return node->parent == SPOOL_READ_ROOT ? thread : walk->nodes[node->parent];
}

/* Returns the tree's node for a node of the spool; `nodes` are the nodes of its thread. */
static uint32_t context(const struct spool_walk *walk, const struct spool_read_node *nodes,
			const struct spool_read_node *node)
{
	uint32_t parent = parent_of(walk, node);
	uint64_t address;

	if (node->parent < SPOOL_READ_ORPHAN && parent != CALL_TREE_NONE &&
	    data_frame_address(node->pc, &address)) {
		parent = parent_of(walk, &nodes[node->parent]);
		if (parent != CALL_TREE_NONE)
			parent = stack_frames_add_access(&walk->frames, &nodes[node->parent],
							 walk->trapped_after, parent);
	}
	return parent == CALL_TREE_NONE ? parent : stack_frames_add(&walk->frames, node, parent);
}

/* Make room for `nodes` nodes of a thread. */
static int make_room(struct spool_walk *walk, size_t nodes)
{
	if (nodes <= walk->capacity)
		return 0;
	free(walk->nodes);
	free(walk->locations);
	walk->nodes = calloc(nodes, sizeof(*walk->nodes));
	walk->locations = calloc(nodes, sizeof(*walk->locations));
	walk->capacity = walk->nodes && walk->locations ? nodes : 0;
	return walk->capacity ? 0 : -ENOMEM;
}

/* Returns whether the stack that ends at a node is selected: 1, 0 or -ENOMEM.  A parent's number is
 * below its children's, so the matching rules of the frames above are known. */
static int is_selected(struct profile_trees *merge, uint32_t node, const struct label_part *part)
{
	struct selection *selection = merge->options.selection;

	if (part && !part->selected)
		return 0;

	if (!selection)
		return 1;
	for (; merge->ruled <= node; merge->ruled++) {
		struct call_tree_node at = call_tree_node(merge->calls, merge->ruled);
		const char *name = string_table_text(&merge->strings, at.name);

		if (!grow(&merge->rules, merge->ruled, 1))
			return -ENOMEM;
		merge->rules[merge->ruled] = merge->ruled
						     ? (uint8_t)(merge->rules[at.parent] |
								 selection_match(selection, name))
						     : 0;
	}
	return selection_keeps(selection, merge->rules[node]);
}

/* Add the weights of node `i` of a thread.  Those of a stack that is not selected go to the root,
 * which is no stack. */
static int add_weights(struct spool_walk *walk, size_t i, uint32_t owner, bool selected,
		       const struct spool_read_node *leaf, const struct spool_read_weight *weight)
{
	struct profile_trees *merge = walk->merge;
	uint32_t node = selected ? walk->nodes[i] : CALL_TREE_ROOT;
	int err = 0;

	for (uint32_t c = 0; !err && c < walk->spool->header.counter_count; c++) {
		if (!weight[c].samples && !weight[c].events)
			continue;
		err = call_tree_add(merge->calls, node, walk->counter[c], &weight[c]);
		if (!err && merge->locations && selected)
			err = locations_weigh(merge->locations, walk->locations[i], owner,
					      walk->counter[c], &weight[c]);
		if (!err && merge->locations && selected)
			err = locations_find_leaf(merge->locations, walk->locations[i], leaf);
	}
	return err;
}

/* Make the places of a thread's nodes those of its samples, as far as they are selected. */
static int place_samples(struct spool_walk *walk, size_t nodes, uint32_t owner,
			 const struct label_part *part)
{
	struct profile_trees *merge = walk->merge;

	for (size_t i = 0; i < nodes; i++) {
		int selected = is_selected(merge, walk->nodes[i], part);

		if (selected < 0)
			return selected;
		if (!selected) {
			walk->nodes[i] = CALL_TREE_ROOT;
			walk->locations[i] = 0;
		} else if (merge->locations) {
			walk->locations[i] =
				locations_end(merge->locations, walk->locations[i], owner);
			if (walk->locations[i] == CALL_TREE_NONE)
				return -ENOMEM;
		}
	}
	return 0;
}

/* Add the stacks of a thread, or of a part of it. */
static int add_thread(struct spool_walk *walk, const struct spool_read_thread *thread,
		      const struct label_part *part)
{
	struct profile_trees *merge = walk->merge;
	uint32_t counters = walk->spool->header.counter_count;
	uint32_t owner = merge->locations ? locations_thread(merge->locations, thread, part)
					  : CALL_TREE_ROOT;
	int err = owner == CALL_TREE_NONE ? -ENOMEM : make_room(walk, thread->node_count);

	walk->frames.thread = stack_frames_thread(&walk->frames, &walk->spool->header,
						  walk->command, thread, part);
	if (walk->frames.thread == CALL_TREE_NONE)
		return -ENOMEM;
	for (size_t i = 0; !err && i < thread->node_count; i++) {
		const struct spool_read_weight *weights = thread->weights + i * counters;
		uint32_t node = context(walk, thread->nodes, &thread->nodes[i]);
		int selected = node == CALL_TREE_NONE ? -ENOMEM : is_selected(merge, node, part);

		walk->nodes[i] = node;
		err = selected < 0 ? selected : 0;
		if (!err && merge->waits)
			err = wait_sites_note(merge->waits, call_tree_node(merge->calls, node).name,
					      &thread->nodes[i],
					      interp_view_interprets(walk->view,
								     &thread->nodes[i]));
		if (!err && merge->locations) {
			walk->locations[i] = locations_node(merge->locations, &thread->nodes[i],
							    owner, walk->locations);
			err = walk->locations[i] == CALL_TREE_NONE ? -ENOMEM : 0;
		}
		if (!err)
			err = add_weights(walk, i, owner, selected, &thread->nodes[i], weights);
	}
	return !err && merge->timeline ? place_samples(walk, thread->node_count, owner, part) : err;
}

/* Add a thread that is not split by labels. */
static int add_whole(struct spool_walk *walk, const struct spool_read_thread *shown)
{
	struct timeline_places places = { .counters = walk->counter };
	int err = add_thread(walk, shown, NULL);

	if (err || !walk->merge->timeline)
		return err;
	places.shown = interp_view_nodes(walk->view);
	places.nodes = walk->nodes;
	places.locations = walk->locations;
	return timeline_add_thread(walk->merge->timeline, shown, &places);
}

/* Add the samples of a thread that was split, by their places. */
static int add_split_samples(const struct spool_walk *walk, const struct spool_read_thread *shown,
			     const uint32_t *nodes, const uint32_t *locations)
{
	const struct timeline_places places = { NULL, nodes, locations, walk->counter };
	struct spool_read_thread placed = *shown;
	size_t count = shown->log.sample_count;
	int err;

	placed.log.samples = calloc(count + 1, sizeof(*placed.log.samples));
	if (!placed.log.samples)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		placed.log.samples[i] = shown->log.samples[i];
		placed.log.samples[i].node = (uint32_t)i;
	}
	err = timeline_add_thread(walk->merge->timeline, &placed, &places);
	free(placed.log.samples);
	return err;
}

/* Add a thread that is split by labels. */
static int add_parts(struct spool_walk *walk, const struct spool_read_thread *shown)
{
	size_t count = shown->log.sample_count;
	uint32_t *nodes = calloc(count + 1, sizeof(*nodes));
	uint32_t *locations = calloc(count + 1, sizeof(*locations));
	struct label_part part;
	int more = 0, err = -ENOMEM;

	if (nodes && locations)
		err = label_split_begin(walk->split, shown, interp_view_nodes(walk->view));
	while (!err && (more = label_split_next(walk->split, &part)) > 0) {
		err = add_thread(walk, &part.thread, &part);
		for (size_t i = 0; !err && walk->nodes && i < part.sample_count; i++) {
			nodes[part.samples[i].sample] = walk->nodes[part.samples[i].node];
			locations[part.samples[i].sample] = walk->locations[part.samples[i].node];
		}
	}
	if (!err)
		err = more;
	if (!err && walk->merge->timeline)
		err = add_split_samples(walk, shown, nodes, locations);
	free(nodes);
	free(locations);
	return err;
}

static int begin(struct spool_walk *walk)
{
	struct profile_trees *merge = walk->merge;
	int err = 0;

	lines_begin(merge->lines);
	for (uint32_t c = 0; c < walk->spool->header.counter_count; c++)
		walk->trapped_after |= walk->spool->header.counter[c].flags & SPOOL_COUNTER_AFTER;
	walk->command = stack_frames_command(&walk->frames, &walk->spool->header);
	if (walk->command == CALL_TREE_NONE)
		err = -ENOMEM;
	if (!err && merge->locations)
		err = locations_begin(merge->locations, walk->spool);
	if (!err && merge->timeline)
		err = timeline_axis_add(&merge->axis, &walk->spool->header, walk->spool->last_ns);
	if (!err && merge->timeline)
		err = timeline_begin(merge->timeline, walk->spool,
				     timeline_axis_offset(&merge->axis, &walk->spool->header));
	return err;
}

static int add_threads(struct spool_walk *walk)
{
	const struct profile_options *options = &walk->merge->options;
	bool splits = label_split_is_needed(options);
	int err;

	walk->view = interp_view_new(walk->merge->namer, walk->spool,
				     options->interp
					     ? (enum settings_interp)(options->interp - 1)
					     : spool_settings_interp(walk->spool->header.interp));
	if (splits)
		walk->split = label_split_new(walk->spool, options);
	err = walk->view && !walk->split == !splits ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < walk->spool->thread_count; i++) {
		const struct spool_read_thread *thread = &walk->spool->threads[i];
		struct spool_read_thread shown;

		err = interp_view_thread(walk->view, thread, &shown);
		if (!err)
			err = walk->split ? add_parts(walk, &shown) : add_whole(walk, &shown);
		if (!err)
			err = truncations_add(walk->merge->truncations, walk->spool, thread);
		interp_view_release(thread, &shown);
	}
	interp_view_free(walk->view);
	label_split_free(walk->split);
	return err;
}

int profile_trees_spool(struct profile_trees *merge, const struct spool_read *spool,
			const uint32_t *counter)
{
	struct spool_walk walk = {
		.merge = merge,
		.spool = spool,
		.counter = counter,
		.frames = { merge->calls, merge->namer, merge->lines, &merge->strings,
			    &merge->options, CALL_TREE_ROOT },
	};
	int err = namer_begin(merge->namer, spool);

	if (err)
		return err;
	err = begin(&walk);
	if (!err)
		err = add_threads(&walk);
	if (!err && merge->gaps)
		err = missing_symbols_add(merge->gaps, spool);
	if (!err && merge->timeline)
		err = timeline_end(merge->timeline);
	free(walk.nodes);
	free(walk.locations);
	namer_end(merge->namer);
	return err;
}

/*
 * A spool is turned into names at once and added to one tree; then it is forgotten.  So memory
 * grows with distinct named contexts, not with the number of processes.
 */
#include "runtime/fold/profile/gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/base/string_table.h"
#include "runtime/fold/profile/call_tree.h"
#include "runtime/fold/profile/ends.h"
#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/profile/frames.h"
#include "runtime/fold/profile/gaps.h"
#include "runtime/fold/profile/locations.h"
#include "runtime/fold/profile/selection.h"
#include "runtime/fold/profile/waits.h"
#include "runtime/fold/spool/spool_read.h"
#include "runtime/fold/symbols/datum.h"
#include "runtime/fold/symbols/lines.h"
#include "runtime/fold/symbols/machine.h"
#include "runtime/fold/symbols/namer.h"

/* What the nodes of one spool are added to. */
struct merge {
	struct gather *gather;
	const struct spool_read *spool;
	const uint32_t *counter; /* the spool's to the profile's */
	uint32_t command;	 /* node of the process */
	bool trapped_after;	 /* leaves of watchpoints are the instruction after the access */
	uint32_t *contexts;	 /* by node of the thread being added */
	uint32_t *traces;	 /* the same, in gather->locations */
	size_t capacity;
};

int gather_open(struct gather *gather, const struct profile_options *options)
{
	*gather = (struct gather){ .options = *options };
	gather->strings = string_table_new();
	gather->calls = call_tree_new();
	if (!options->machine)
		gather->machine = machine_new(options->warn);
	if (gather->strings && (gather->machine || options->machine))
		gather->namer = namer_new(gather->strings,
					  options->machine ? options->machine : gather->machine,
					  !options->no_demangle, options->tidy);
	if (gather->namer)
		gather->ends = ends_new(gather->namer, gather->strings);
	if (gather->namer)
		gather->lines = lines_new(gather->namer, gather->strings);
	if (gather->namer && options->waits)
		gather->waits = waits_new(gather->strings, gather->namer);
	if (gather->namer && options->gaps)
		gather->gaps = gaps_new(gather->namer, gather->strings);
	if (gather->namer && options->locations)
		gather->locations = locations_new(gather->namer, gather->strings, options);
	if (gather->calls && gather->ends && gather->lines && !gather->waits == !options->waits &&
	    !gather->gaps == !options->gaps && !gather->locations == !options->locations)
		return 0;
	gather_close(gather);
	return -ENOMEM;
}

void gather_close(struct gather *gather)
{
	locations_free(gather->locations);
	gaps_free(gather->gaps);
	waits_free(gather->waits);
	lines_free(gather->lines);
	ends_free(gather->ends);
	namer_free(gather->namer);
	machine_free(gather->machine);
	string_table_free(gather->strings);
	call_tree_free(gather->calls);
	free(gather->rules);
}

static uint32_t child(struct gather *gather, uint32_t parent, const char *text)
{
	uint32_t name = namer_text(gather->namer, text, "");

	return name ? call_tree_child(gather->calls, parent, name) : CALL_TREE_NONE;
}

/* The first frame of every stack: the command, in one word. */
static uint32_t command_node(struct gather *gather, const struct spool_header *header)
{
	const char *slash = strrchr(header->executable, '/');
	const char *command = header->command[0] ? header->command : slash ? slash + 1 : "unknown";
	char word[SPOOL_TEXT_MAX];

	snprintf(word, sizeof(word), "%s", command);
	for (char *c = word; *c; c++)
		if (*c == ' ' || *c == '\t')
			*c = '_';
	return child(gather, CALL_TREE_ROOT, word);
}

/* "worker/4711"; of ended threads that were merged the number is all that is left. */
static void number_thread(const struct spool_read_thread *thread, char *text, size_t bytes)
{
	const char *name = thread->name[0] ? thread->name : "[nameless thread]";
	unsigned ended = spool_read_threads(&thread->slot);

	if (thread->slot.tid)
		snprintf(text, bytes, "%s/%u", name, thread->slot.tid);
	else
		snprintf(text, bytes, "%s/[%u ended]", name, ended);
}

static uint32_t process_node(const struct merge *merge)
{
	struct gather *gather = merge->gather;
	char text[SPOOL_TEXT_MAX + 16];

	if (!gather->options.processes)
		return merge->command;
	snprintf(text, sizeof(text), "%s/%u",
		 string_table_text(gather->strings, call_tree_name(gather->calls, merge->command)),
		 merge->spool->header.pid);
	return child(gather, merge->command, text);
}

/* The frames that no function called: command, and if asked for process and thread. */
static uint32_t thread_node(const struct merge *merge, const struct spool_read_thread *thread)
{
	uint32_t process = process_node(merge);
	char text[64];

	if (process == CALL_TREE_NONE)
		return process;

	switch (merge->gather->options.threads) {
	case SETTINGS_THREADS_NAME:
		snprintf(text, sizeof(text), "%s", thread->name);
		break;
	case SETTINGS_THREADS_ID:
		number_thread(thread, text, sizeof(text));
		break;
	case SETTINGS_THREADS_MERGE:
	default:
		return process;
	}
	return child(merge->gather, process, text[0] ? text : "[nameless thread]");
}

static uint32_t parent_of(const struct merge *merge, const struct spool_read_node *node,
			  uint32_t thread)
{
	if (node->parent == SPOOL_READ_ORPHAN)
		return child(merge->gather, thread, "[damaged]");
	return node->parent == SPOOL_READ_ROOT ? thread : merge->contexts[node->parent];
}

/* The tree's node for a node of the spool; `nodes` are its thread's. */
static uint32_t context(const struct merge *merge, const struct spool_read_node *nodes,
			const struct spool_read_node *node, uint32_t thread)
{
	struct gather *gather = merge->gather;
	struct frames frames = { gather->calls, gather->namer, gather->lines, &gather->options,
				 thread };
	uint32_t parent = parent_of(merge, node, thread);
	uint64_t address;

	if (node->parent < SPOOL_READ_ORPHAN && parent != CALL_TREE_NONE &&
	    datum_has_address(node->pc, &address)) {
		parent = parent_of(merge, &nodes[node->parent], thread);
		if (parent != CALL_TREE_NONE)
			parent = frames_add_access(&frames, &nodes[node->parent],
						   merge->trapped_after, parent);
	}
	return parent == CALL_TREE_NONE ? parent : frames_add(&frames, node, parent);
}

/* Room for so many nodes of a thread. */
static int make_room(struct merge *merge, size_t nodes)
{
	if (nodes <= merge->capacity)
		return 0;
	free(merge->contexts);
	free(merge->traces);
	merge->contexts = calloc(nodes, sizeof(*merge->contexts));
	merge->traces = calloc(nodes, sizeof(*merge->traces));
	merge->capacity = merge->contexts && merge->traces ? nodes : 0;
	return merge->capacity ? 0 : -ENOMEM;
}

/* Whether the stack that ends at a context is to be looked at.  A parent's number is below its
 * children's, so the rules that match above are known.  Returns 1, 0 or -ENOMEM. */
static int is_selected(struct gather *gather, uint32_t node)
{
	uint32_t count = call_tree_count(gather->calls);
	struct selection *selection = gather->options.selection;
	uint8_t *grown;

	if (!selection)
		return 1;
	if (node >= gather->ruled) {
		grown = realloc(gather->rules, count);
		if (!grown)
			return -ENOMEM;
		gather->rules = grown;
		for (uint32_t i = gather->ruled; i < count; i++) {
			uint32_t parent = call_tree_parent(gather->calls, i);
			const char *name = string_table_text(gather->strings,
							     call_tree_name(gather->calls, i));

			grown[i] =
				i ? (uint8_t)(grown[parent] | selection_match(selection, name)) : 0;
		}
		gather->ruled = count;
	}
	return selection_keeps(selection, gather->rules[node]);
}

/* The weights of one stack.  Those that are not looked at go to the root, which is no stack. */
static int add_weights(struct merge *merge, uint32_t node, const struct spool_read_weight *weight)
{
	struct call_tree *calls = merge->gather->calls;
	int err = 0;

	for (uint32_t c = 0; !err && c < merge->spool->header.counter_count; c++)
		if (weight[c].samples || weight[c].events)
			err = call_tree_add(calls, node, merge->counter[c], &weight[c]);
	return err;
}

/* The same node by its address.  `weights` is NULL for a stack that is not looked at. */
static int add_location(struct merge *merge, const struct spool_read_thread *thread, size_t i,
			uint32_t owner, const struct spool_read_weight *weights)
{
	struct locations *locations = merge->gather->locations;
	uint32_t node = locations_node(locations, &thread->nodes[i], owner, merge->traces);

	merge->traces[i] = node;
	if (node == CALL_TREE_NONE)
		return -ENOMEM;
	return weights ? locations_weigh(locations, node, owner, merge->counter, weights) : 0;
}

static int add_thread(struct merge *merge, const struct spool_read_thread *thread)
{
	struct gather *gather = merge->gather;
	uint32_t counters = merge->spool->header.counter_count;
	uint32_t below = thread_node(merge, thread);
	uint32_t owner =
		gather->locations ? locations_thread(gather->locations, thread) : CALL_TREE_ROOT;
	int err = below == CALL_TREE_NONE || owner == CALL_TREE_NONE
			  ? -ENOMEM
			  : make_room(merge, thread->node_count);

	for (size_t i = 0; !err && i < thread->node_count; i++) {
		const struct spool_read_weight *weights = thread->weights + i * counters;
		uint32_t node = context(merge, thread->nodes, &thread->nodes[i], below);
		int selected = node == CALL_TREE_NONE ? -ENOMEM : is_selected(gather, node);

		merge->contexts[i] = node;
		err = selected < 0 ? selected : 0;
		if (!err && gather->waits)
			err = waits_note(gather->waits, call_tree_name(gather->calls, node),
					 &thread->nodes[i]);
		if (!err)
			err = add_weights(merge, selected ? node : CALL_TREE_ROOT, weights);
		if (!err && gather->locations)
			err = add_location(merge, thread, i, owner, selected ? weights : NULL);
	}
	return err;
}

static int begin(struct merge *merge)
{
	struct gather *gather = merge->gather;
	int err = lines_begin(gather->lines);

	for (uint32_t c = 0; c < merge->spool->header.counter_count; c++)
		merge->trapped_after |= merge->spool->header.counter[c].flags & SPOOL_COUNTER_AFTER;
	merge->command = command_node(gather, &merge->spool->header);
	if (merge->command == CALL_TREE_NONE)
		err = -ENOMEM;
	if (!err && gather->locations)
		err = locations_begin(gather->locations, merge->spool);
	return err;
}

int gather_spool(struct gather *gather, const struct spool_read *spool, const uint32_t *counter)
{
	struct merge merge = { .gather = gather, .spool = spool, .counter = counter };
	int err = namer_begin(gather->namer, spool);

	if (err)
		return err;
	err = begin(&merge);
	for (size_t i = 0; !err && i < spool->thread_count; i++) {
		err = add_thread(&merge, &spool->threads[i]);
		if (!err)
			err = ends_add(gather->ends, spool, &spool->threads[i]);
	}
	if (!err && gather->gaps)
		err = gaps_add(gather->gaps, spool);
	free(merge.contexts);
	free(merge.traces);
	namer_end(gather->namer);
	return err;
}

static int add_stack(struct gather *gather, const char *const *path, size_t depth,
		     const struct spool_read_weight *weight, uint32_t counter)
{
	struct selection *selection = gather->options.selection;
	uint32_t node = CALL_TREE_ROOT;

	if (selection && !selection_keeps_path(selection, path, depth))
		return call_tree_add(gather->calls, node, counter, weight);
	for (size_t i = 0; i < depth && node != CALL_TREE_NONE; i++) {
		uint32_t name = string_table_intern(gather->strings, path[i], strlen(path[i]));

		node = name ? call_tree_child(gather->calls, node, name) : CALL_TREE_NONE;
	}
	if (node == CALL_TREE_NONE || call_tree_add(gather->calls, node, counter, weight))
		return -ENOMEM;
	return gather->locations
		       ? locations_add_stack(gather->locations, path, depth, weight, counter)
		       : 0;
}

int gather_stacks(struct gather *gather, struct frame_tree *tree, uint32_t counter)
{
	const char **path = calloc(frame_tree_depth(tree) + 1, sizeof(*path));
	int err = path ? 0 : -ENOMEM;

	for (struct frame *frame = frame_tree_root(tree); frame && !err;
	     frame = frame_tree_next(frame)) {
		struct spool_read_weight weight = { frame->self, frame->self };

		if (frame->self)
			err = add_stack(gather, path, frame_tree_path(frame, path), &weight,
					counter);
	}
	free(path);
	return err;
}

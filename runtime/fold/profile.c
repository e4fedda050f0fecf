/*
 * A spool is read, turned into names at once and added to one tree; then it is forgotten.
 * So memory grows with distinct named contexts, not with the number of processes.
 */
#include "runtime/fold/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/contexts.h"
#include "runtime/fold/datum.h"
#include "runtime/fold/ends.h"
#include "runtime/fold/frames.h"
#include "runtime/fold/map.h"
#include "runtime/fold/namer.h"
#include "runtime/fold/names.h"
#include "runtime/fold/spool_read.h"
#include "runtime/fold/stacks.h"
#include "runtime/fold/summary.h"
#include "runtime/fold/traces.h"

struct profile {
	struct profile_options options;
	struct profile_summary summary;
	struct names *names;
	struct namer *namer;
	struct contexts *contexts;
	struct ends *ends;
	struct traces *traces; /* only if asked for */
	struct map *processes; /* {pid, start ticks} seen */
	struct spool_counter *counters;
	struct profile_total *totals; /* by counter, without what contexts knows */
	unsigned counter_count;
	struct spool_header *first;
};

/* What the nodes of one spool are added to. */
struct merge {
	struct profile *profile;
	const struct spool_read *spool;
	uint32_t counter[SPOOL_COUNTERS_MAX]; /* the spool's to the profile's */
	uint32_t command;		      /* node of the process */
	bool trapped_after; /* leaves of watchpoints are the instruction after the access */
	uint32_t *contexts; /* by node of the thread being added */
	size_t capacity;
};

struct profile *profile_new(const struct profile_options *options)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->options = *options;
	profile->names = names_new();
	profile->contexts = contexts_new();
	profile->processes = map_new();
	if (profile->names)
		profile->namer = namer_new(profile->names, !options->no_demangle, options->warn);
	if (profile->namer)
		profile->ends = ends_new(profile->namer, profile->names);
	if (profile->namer && options->traces)
		profile->traces = traces_new(profile->namer, profile->names);
	if (profile->ends && profile->contexts && profile->processes &&
	    !profile->traces == !options->traces)
		return profile;
	profile_free(profile);
	return NULL;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	traces_free(profile->traces);
	ends_free(profile->ends);
	namer_free(profile->namer);
	names_free(profile->names);
	contexts_free(profile->contexts);
	map_free(profile->processes);
	free(profile->counters);
	free(profile->totals);
	free(profile->first);
	free(profile);
}

/* Index of the profile's counter of that name; made if it is new; -ENOMEM. */
static int find_counter(struct profile *profile, const struct spool_counter *counter)
{
	struct spool_counter *grown;
	struct profile_total *totals;

	for (unsigned i = 0; i < profile->counter_count; i++) {
		struct spool_counter *known = &profile->counters[i];
		uint32_t unavailable = known->flags & counter->flags & SPOOL_COUNTER_UNAVAILABLE;

		if (strcmp(known->name, counter->name) != 0)
			continue;
		known->missing = known->missing && counter->missing;
		known->flags |= counter->flags;
		known->flags &= ~SPOOL_COUNTER_UNAVAILABLE;
		known->flags |= unavailable;
		return (int)i;
	}
	grown = reallocarray(profile->counters, profile->counter_count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	profile->counters = grown;
	totals = reallocarray(profile->totals, profile->counter_count + 1, sizeof(*totals));
	if (!totals)
		return -ENOMEM;
	profile->totals = totals;
	totals[profile->counter_count] = (struct profile_total){ 0 };
	grown[profile->counter_count] = *counter;
	return (int)profile->counter_count++;
}

static uint32_t child(struct profile *profile, uint32_t parent, const char *text)
{
	uint32_t name = namer_text(profile->namer, text, "");

	return name ? contexts_child(profile->contexts, parent, name) : CONTEXTS_NONE;
}

/* The first frame of every stack: the command, in one word. */
static uint32_t command_node(struct profile *profile, const struct spool_header *header)
{
	const char *slash = strrchr(header->executable, '/');
	const char *command = header->command[0] ? header->command : slash ? slash + 1 : "unknown";
	char word[SPOOL_TEXT_MAX];

	snprintf(word, sizeof(word), "%s", command);
	for (char *c = word; *c; c++)
		if (*c == ' ' || *c == '\t')
			*c = '_';
	return child(profile, CONTEXTS_ROOT, word);
}

static uint32_t thread_node(const struct merge *merge, const struct spool_read_thread *thread)
{
	char text[64];

	switch (merge->profile->options.threads) {
	case SETTINGS_THREADS_NAME:
		snprintf(text, sizeof(text), "%s", thread->name);
		break;
	case SETTINGS_THREADS_ID:
		snprintf(text, sizeof(text), thread->slot.tid ? "%s/%u" : "%s", thread->name,
			 thread->slot.tid);
		break;
	case SETTINGS_THREADS_MERGE:
	default:
		return merge->command;
	}
	return child(merge->profile, merge->command, text[0] ? text : "[nameless thread]");
}

static uint32_t parent_of(const struct merge *merge, const struct spool_read_node *node,
			  uint32_t thread)
{
	if (node->parent == SPOOL_READ_ORPHAN)
		return child(merge->profile, thread, "[damaged]");
	return node->parent == SPOOL_READ_ROOT ? thread : merge->contexts[node->parent];
}

/* The tree's node for a node of the spool; `nodes` are its thread's. */
static uint32_t context(const struct merge *merge, const struct spool_read_node *nodes,
			const struct spool_read_node *node, uint32_t thread)
{
	struct frames frames = { merge->profile->contexts, merge->profile->namer,
				 &merge->profile->options };
	uint32_t parent = parent_of(merge, node, thread);
	uint64_t address;

	if (node->parent < SPOOL_READ_ORPHAN && parent != CONTEXTS_NONE &&
	    datum_has_address(node->pc, &address)) {
		parent = parent_of(merge, &nodes[node->parent], thread);
		if (parent != CONTEXTS_NONE)
			parent = frames_add_access(&frames, &nodes[node->parent],
						   merge->trapped_after, parent);
	}
	return parent == CONTEXTS_NONE ? parent : frames_add(&frames, node, parent);
}

static int add_thread(struct merge *merge, const struct spool_read_thread *thread)
{
	struct profile *profile = merge->profile;
	uint32_t counters = merge->spool->header.counter_count;
	uint32_t below = thread_node(merge, thread);
	int err = 0;

	if (below == CONTEXTS_NONE)
		return -ENOMEM;
	if (thread->node_count > merge->capacity) {
		free(merge->contexts);
		merge->contexts = calloc(thread->node_count, sizeof(*merge->contexts));
		merge->capacity = merge->contexts ? thread->node_count : 0;
		if (!merge->contexts)
			return -ENOMEM;
	}
	for (size_t i = 0; !err && i < thread->node_count; i++) {
		const struct spool_read_weight *weight = thread->weights + i * counters;
		uint32_t node = context(merge, thread->nodes, &thread->nodes[i], below);

		merge->contexts[i] = node;
		err = node == CONTEXTS_NONE ? -ENOMEM : 0;
		for (uint32_t c = 0; !err && c < counters; c++)
			if (weight[c].samples || weight[c].events)
				err = contexts_add(profile->contexts, node, merge->counter[c],
						   &weight[c]);
	}
	return err;
}

static void add_totals(const struct merge *merge, const struct spool_read_thread *thread)
{
	for (uint32_t c = 0; c < merge->spool->header.counter_count; c++) {
		struct profile_total *total = &merge->profile->totals[merge->counter[c]];

		total->counted += thread->slot.total[c].value;
		total->enabled_ns += thread->slot.total[c].enabled_ns;
		total->running_ns += thread->slot.total[c].running_ns;
		total->dropped += thread->slot.total[c].dropped;
	}
}

/* Counters that came with this spool have their leader by its number in the spool. */
static void adopt_leaders(const struct merge *merge, unsigned known)
{
	uint32_t count = merge->spool->header.counter_count;

	for (uint32_t c = 0; c < count; c++) {
		struct spool_counter *counter = &merge->profile->counters[merge->counter[c]];
		uint32_t leader = merge->spool->header.counter[c].leader;

		if (merge->counter[c] >= known)
			counter->leader = merge->counter[leader < count ? leader : c];
	}
}

static int add_contexts(struct profile *profile, const struct spool_read *spool)
{
	struct merge merge = { .profile = profile, .spool = spool };
	unsigned known = profile->counter_count;
	int err;

	for (uint32_t c = 0; c < spool->header.counter_count; c++) {
		int counter = find_counter(profile, &spool->header.counter[c]);

		if (counter < 0)
			return counter;
		merge.counter[c] = (uint32_t)counter;
		merge.trapped_after |= spool->header.counter[c].flags & SPOOL_COUNTER_AFTER;
	}
	adopt_leaders(&merge, known);
	err = namer_begin(profile->namer, spool);
	if (err)
		return err;
	merge.command = command_node(profile, &spool->header);
	if (merge.command == CONTEXTS_NONE)
		err = -ENOMEM;
	if (!err && profile->traces)
		err = traces_begin(profile->traces, spool);
	for (size_t i = 0; !err && i < spool->thread_count; i++) {
		err = add_thread(&merge, &spool->threads[i]);
		if (!err)
			err = ends_add(profile->ends, spool, &spool->threads[i]);
		if (!err && profile->traces)
			err = traces_add(profile->traces, &spool->threads[i], merge.counter);
		add_totals(&merge, &spool->threads[i]);
	}
	free(merge.contexts);
	namer_end(profile->namer);
	return err;
}

static int add_summary(struct profile *profile, const struct spool_read *spool)
{
	uint32_t *seen = map_at(profile->processes, spool->header.pid, spool->header.start_ticks);

	if (!seen)
		return -ENOMEM;
	profile->summary.processes += !*seen;
	*seen = 1;
	summary_add(&profile->summary, spool);
	return 0;
}

static int add_spool(struct profile *profile, const struct spool_read *spool)
{
	int err;

	if (!profile->first) {
		profile->first = malloc(sizeof(*profile->first));
		if (!profile->first)
			return -ENOMEM;
		memcpy(profile->first, &spool->header, sizeof(spool->header));
	}
	err = add_summary(profile, spool);
	return err ? err : add_contexts(profile, spool);
}

int profile_read(struct profile *profile, const char *path, char *line, size_t bytes)
{
	struct spool_read spool;
	int damaged = spool_read_path(path, &spool, line, bytes);
	int err;

	if (damaged < 0)
		return damaged;
	err = add_spool(profile, &spool);
	spool_read_free(&spool);
	if (!err)
		return damaged;
	snprintf(line, bytes, "%s: %s", path, strerror(-err));
	return err;
}

const struct profile_summary *profile_summary(const struct profile *profile)
{
	return &profile->summary;
}

const struct spool_header *profile_first(const struct profile *profile)
{
	return profile->first;
}

unsigned profile_counter_count(const struct profile *profile)
{
	return profile->counter_count;
}

const struct spool_counter *profile_counter(const struct profile *profile, unsigned counter)
{
	return &profile->counters[counter];
}

struct profile_total profile_total(const struct profile *profile, unsigned counter)
{
	struct profile_total total = profile->totals[counter];
	struct spool_read_weight carried = contexts_sum(profile->contexts, counter);

	total.samples = carried.samples;
	total.events = carried.events;
	return total;
}

struct ends *profile_ends(const struct profile *profile)
{
	return profile->ends;
}

const struct traces *profile_traces(const struct profile *profile)
{
	return profile->traces;
}

enum settings_threads profile_threads(const struct profile *profile)
{
	return profile->options.threads;
}

int profile_stacks(struct profile *profile, unsigned counter, enum settings_weight weight,
		   struct stacks **stacks)
{
	bool events = weight == SETTINGS_WEIGHT_EVENTS ||
		      !(profile->counters[counter].flags & SPOOL_COUNTER_SAMPLES);
	struct stacks *made = stacks_new();
	int err;

	if (!made)
		return -ENOMEM;
	err = contexts_stacks(profile->contexts, profile->names, counter, events, made);
	if (err) {
		stacks_free(made);
		return err;
	}
	stacks_sort(made);
	*stacks = made;
	return 0;
}

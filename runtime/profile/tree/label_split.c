/*
 * Samples are sorted by group, and each group gets the nodes that its stacks need.  So a profile
 * with very many values costs as much as its samples, not as values times nodes.
 */
#include "runtime/profile/tree/label_split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/order.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/profile_options.h"

#define GROUP(labels, trace) ((uint64_t)(labels) << 32 | (trace))
#define NOT_KNOWN	     UINT64_MAX
#define NOT_SELECTED	     (UINT64_MAX - 1)

/* One sample of the log, by its group. */
struct member {
	uint64_t group;
	uint32_t sample;
	uint32_t node; /* shown */
};

struct label_split {
	const struct spool_read *spool;
	bool sets;
	uint32_t counters;
	struct string_table values; /* of the key */
	uint32_t *value_of;	    /* by number of a set: a number of `values`; 0: none */
	uint32_t *only_of;	    /* likewise, of the key that selects … */
	uint32_t only;		    /* … and the value that does; 0: all are selected */
	/* of the thread: */
	const struct spool_read_thread *whole;
	struct member *members;
	size_t member_count, next;
	struct spool_read_weight *rest; /* by node and counter: what no member has */
	bool rest_given;
	uint32_t *stamp; /* by node: the last part that needs it */
	uint32_t *index; /* by node: its index in that part */
	uint32_t part;
	uint32_t *needed; /* nodes of the part */
	size_t needed_count;
	/* of the part: */
	struct spool_read_node *nodes;
	struct spool_read_weight *weights;
	struct label_sample *samples;
};

/* Finds the value of a key in each set: numbers of `values` in value_of[].  The set n has label n
 * on top, so its value follows from those of lower numbers. */
static int find_values(struct label_split *split, const char *key, uint32_t *value_of)
{
	const struct spool_read *spool = split->spool;
	size_t bytes = strlen(key);

	for (size_t i = 0; i < spool->label_count; i++) {
		const struct spool_label *label = &spool->labels[i];

		value_of[i + 1] = value_of[label->below];
		if (label->key.bytes != bytes ||
		    memcmp(spool->texts + label->key.at, key, bytes) != 0)
			continue;
		value_of[i + 1] = 0;
		if (label->value.bytes)
			value_of[i + 1] =
				string_table_intern(&split->values, spool->texts + label->value.at,
						    label->value.bytes);
		if (label->value.bytes && !value_of[i + 1])
			return -ENOMEM;
	}
	return 0;
}

bool label_split_is_needed(const struct profile_options *options)
{
	return options->label || options->only_key || options->label_sets;
}

struct label_split *label_split_new(const struct spool_read *spool,
				    const struct profile_options *options)
{
	struct label_split *split = calloc(1, sizeof(*split));
	const char *only = options->only_key ? options->only_value : NULL;

	if (!split)
		return NULL;
	split->spool = spool;
	split->sets = options->label_sets;
	split->counters = spool->header.counter_count;
	split->value_of = calloc(spool->label_count + 1, sizeof(*split->value_of));
	split->only_of = calloc(spool->label_count + 1, sizeof(*split->only_of));
	if (only)
		split->only = string_table_intern(&split->values, only, strlen(only));
	if (split->value_of && split->only_of && !split->only == !only &&
	    (!options->label || !find_values(split, options->label, split->value_of)) &&
	    (!only || !find_values(split, options->only_key, split->only_of)))
		return split;
	label_split_free(split);
	return NULL;
}

static void free_part(struct label_split *split)
{
	free(split->nodes);
	free(split->weights);
	free(split->samples);
	split->nodes = NULL;
	split->weights = NULL;
	split->samples = NULL;
}

static void free_thread(struct label_split *split)
{
	free_part(split);
	free(split->members);
	free(split->rest);
	free(split->stamp);
	free(split->index);
	free(split->needed);
	split->members = NULL;
	split->rest = NULL;
	split->stamp = split->index = split->needed = NULL;
}

void label_split_free(struct label_split *split)
{
	if (!split)
		return;
	free_thread(split);
	string_table_free(&split->values);
	free(split->value_of);
	free(split->only_of);
	free(split);
}

static int compare(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	return order_of(a->group, b->group) ?: order_of(a->sample, b->sample);
}

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

static uint64_t group_of(const struct label_split *split, const struct spool_read_sample *sample)
{
	uint32_t labels = sample->labels <= split->spool->label_count ? sample->labels : 0;

	if (split->only && split->only_of[labels] != split->only)
		return NOT_SELECTED;
	return split->sets ? GROUP(labels, sample->trace) : split->value_of[labels];
}

static void add_member(struct label_split *split, uint32_t i, uint32_t node)
{
	const struct spool_read_sample *sample = &split->whole->log.samples[i];
	struct spool_read_weight *rest =
		&split->rest[(size_t)node * split->counters + sample->counter];

	rest->samples = less(rest->samples, sample->samples);
	rest->events = less(rest->events, sample->events);
	split->members[split->member_count++] = (struct member){ group_of(split, sample), i, node };
}

/* Returns one value of a weight. */
static uint64_t *field_of(struct spool_read_weight *weight, bool events)
{
	return events ? &weight->events : &weight->samples;
}

/* A thinned log has the sums of the tree, but not at the same nodes, so the nodes lack more than
 * the log does.  Scales what they lack of a counter down to what the log lacks of it. */
static void scale_rest(struct label_split *split, uint32_t counter, bool events)
{
	const struct spool_read_thread *whole = split->whole;
	unsigned __int128 lacking = 0, so_far = 0, total = 0, missing;

	for (size_t i = 0; i < whole->node_count; i++) {
		size_t at = i * split->counters + counter;

		lacking += *field_of(&split->rest[at], events);
		total += *field_of(&whole->weights[at], events);
	}
	for (size_t i = 0; i < split->member_count; i++) {
		const struct spool_read_sample *sample =
			&whole->log.samples[split->members[i].sample];
		uint64_t has = events ? sample->events : sample->samples;

		if (sample->counter == counter)
			total = total > has ? total - has : 0;
	}
	missing = total;
	if (missing >= lacking)
		return;
	for (size_t i = 0; i < whole->node_count; i++) {
		uint64_t *rest = field_of(&split->rest[i * split->counters + counter], events);
		unsigned __int128 before = so_far * missing / lacking;

		so_far += *rest;
		*rest = (uint64_t)(so_far * missing / lacking - before);
	}
}

int label_split_begin(struct label_split *split, const struct spool_read_thread *shown,
		      const uint32_t *shown_nodes)
{
	size_t nodes = shown->node_count + 1, samples = shown->log.sample_count;

	free_thread(split);
	split->whole = shown;
	split->member_count = split->next = split->part = 0;
	split->rest_given = false;
	split->members = calloc(samples + 1, sizeof(*split->members));
	split->rest = calloc(nodes * split->counters + 1, sizeof(*split->rest));
	split->stamp = calloc(nodes, sizeof(*split->stamp));
	split->index = calloc(nodes, sizeof(*split->index));
	split->needed = calloc(nodes, sizeof(*split->needed));
	if (!split->members || !split->rest || !split->stamp || !split->index || !split->needed)
		return -ENOMEM;
	if (shown->node_count)
		memcpy(split->rest, shown->weights,
		       shown->node_count * split->counters * sizeof(*split->rest));
	for (size_t i = 0; i < samples; i++) {
		uint32_t node = shown->log.samples[i].node;

		node = shown_nodes ? shown_nodes[node] : node;
		if (node < shown->node_count && shown->log.samples[i].counter < split->counters)
			add_member(split, (uint32_t)i, node);
	}
	for (uint32_t c = 0; c < split->counters; c++) {
		scale_rest(split, c, false);
		scale_rest(split, c, true);
	}
	qsort(split->members, split->member_count, sizeof(*split->members), compare);
	return 0;
}

static void need(struct label_split *split, uint32_t node)
{
	while (node < split->whole->node_count && split->stamp[node] != split->part) {
		split->stamp[node] = split->part;
		split->needed[split->needed_count++] = node;
		node = split->whole->nodes[node].parent;
	}
}

static int compare_numbers(const void *left, const void *right)
{
	return order_of(*(const uint32_t *)left, *(const uint32_t *)right);
}

/* Makes the nodes that are needed, callers first, without weights, and room for the samples. */
static int make_nodes(struct label_split *split, size_t samples)
{
	free_part(split);
	qsort(split->needed, split->needed_count, sizeof(*split->needed), compare_numbers);
	split->nodes = calloc(split->needed_count + 1, sizeof(*split->nodes));
	split->weights = calloc(split->needed_count * split->counters + 1, sizeof(*split->weights));
	split->samples = calloc(samples + 1, sizeof(*split->samples));
	if (!split->nodes || !split->weights || !split->samples)
		return -ENOMEM;
	for (size_t i = 0; i < split->needed_count; i++) {
		struct spool_read_node node = split->whole->nodes[split->needed[i]];

		split->index[split->needed[i]] = (uint32_t)i;
		if (node.parent < split->whole->node_count)
			node.parent = split->index[node.parent];
		split->nodes[i] = node;
	}
	return 0;
}

static void begin_part(struct label_split *split, struct label_part *part, uint64_t group)
{
	uint32_t value;

	*part = (struct label_part){
		.thread = *split->whole,
		.known = group != NOT_KNOWN,
		.selected = group != NOT_SELECTED && (group != NOT_KNOWN || !split->only),
	};
	part->thread.log = (struct spool_read_log){ 0 };
	split->part++;
	split->needed_count = 0;
	if (group == NOT_KNOWN || group == NOT_SELECTED)
		return;
	if (split->sets) {
		part->labels = (uint32_t)(group >> 32);
		if ((uint32_t)group && (uint32_t)group <= split->whole->log.trace_count)
			part->trace = &split->whole->log.traces[(uint32_t)group - 1];
	}
	value = split->sets ? split->value_of[part->labels] : (uint32_t)group;
	if (value)
		part->value = string_table_text(&split->values, value);
}

static void end_part(const struct label_split *split, struct label_part *part, size_t samples)
{
	part->thread.nodes = split->nodes;
	part->thread.weights = split->weights;
	part->thread.node_count = split->needed_count;
	part->samples = split->samples;
	part->sample_count = samples;
}

/* What is in no log. */
static int take_rest(struct label_split *split, struct label_part *part)
{
	size_t count = split->whole->node_count;
	int err;

	split->rest_given = true;
	begin_part(split, part, NOT_KNOWN);
	for (size_t i = 0; i < count * split->counters; i++)
		if (split->rest[i].samples || split->rest[i].events)
			need(split, (uint32_t)(i / split->counters));
	if (!split->needed_count)
		return 0;
	err = make_nodes(split, 0);
	if (err)
		return err;
	for (size_t i = 0; i < split->needed_count; i++)
		memcpy(&split->weights[i * split->counters],
		       &split->rest[split->needed[i] * split->counters],
		       split->counters * sizeof(*split->weights));
	end_part(split, part, 0);
	return 1;
}

int label_split_next(struct label_split *split, struct label_part *part)
{
	size_t from = split->next, to = from;
	int err;

	if (from == split->member_count)
		return split->rest_given ? 0 : take_rest(split, part);
	begin_part(split, part, split->members[from].group);
	for (; to < split->member_count && split->members[to].group == split->members[from].group;
	     to++)
		need(split, split->members[to].node);
	split->next = to;
	err = make_nodes(split, to - from);
	if (err)
		return err;
	for (size_t i = from; i < to; i++) {
		const struct member *member = &split->members[i];
		const struct spool_read_sample *sample = &split->whole->log.samples[member->sample];
		uint32_t node = split->index[member->node];
		struct spool_read_weight *weight =
			&split->weights[(size_t)node * split->counters + sample->counter];

		weight->samples += sample->samples;
		weight->events += sample->events;
		split->samples[i - from] = (struct label_sample){ member->sample, node };
	}
	end_part(split, part, to - from);
	return 1;
}

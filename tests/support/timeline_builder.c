/* A stack is main and a leaf; without a leaf a sample has no stack. */
#include "tests/support/timeline_builder.h"

#include "runtime/profile/tree/call_tree.h"
#include "tests/support/unit.h"

struct timeline_builder timeline_builder;

UNIT(teardown)
{
	free(timeline_builder.timeline.samples);
	call_tree_free(timeline_builder.calls);
	string_table_free(&timeline_builder.strings);
	timeline_builder = (struct timeline_builder){ .calls = NULL };
	return 0;
}

void timeline_builder_begin(uint64_t from_ns, uint64_t end_ns)
{
	struct timeline *timeline = &timeline_builder.timeline;

	unit_teardown(NULL);
	timeline_builder.calls = call_tree_new();
	*timeline = (struct timeline){ .from_ns = from_ns, .end_ns = end_ns };
	timeline->samples = calloc(TIMELINE_BUILDER_MAX, sizeof(*timeline->samples));
}

static uint32_t name_of(const char *text)
{
	return string_table_intern(&timeline_builder.strings, text, strlen(text));
}

struct timeline_sample *timeline_builder_add(uint64_t time_ns, const char *leaf, uint64_t events)
{
	struct timeline *timeline = &timeline_builder.timeline;
	uint32_t outer = call_tree_child(timeline_builder.calls, CALL_TREE_ROOT, name_of("main"));

	assert_true(timeline->sample_count < TIMELINE_BUILDER_MAX);
	timeline->samples[timeline->sample_count] = (struct timeline_sample){
		.time_ns = time_ns,
		.samples = 1,
		.events = events,
		.node = leaf ? call_tree_child(timeline_builder.calls, outer, name_of(leaf))
			     : CALL_TREE_ROOT,
		.counter = TIMELINE_BUILDER_COUNTER,
	};
	return &timeline->samples[timeline->sample_count++];
}

struct load_source timeline_builder_source(void)
{
	return (struct load_source){ .timeline = &timeline_builder.timeline,
				     .calls = timeline_builder.calls,
				     .names = timeline_builder.strings.count,
				     .counter = TIMELINE_BUILDER_COUNTER };
}

/* A stack is main and a leaf; without a leaf a sample has no stack. */
#include "tests/support/timeline_builder.h"

#include "runtime/profile/tree/call_tree.h"
#include "tests/support/unit.h"

struct timeline_builder timeline_builder_new(uint64_t from_ns, uint64_t end_ns)
{
	struct timeline_builder builder = { .calls = call_tree_new(),
					    .timeline = { .from_ns = from_ns, .end_ns = end_ns } };

	builder.timeline.samples = calloc(TIMELINE_BUILDER_MAX, sizeof(*builder.timeline.samples));
	return builder;
}

void timeline_builder_free(struct timeline_builder *builder)
{
	free(builder->timeline.samples);
	call_tree_free(builder->calls);
	string_table_free(&builder->strings);
}

static uint32_t name_of(struct timeline_builder *builder, const char *text)
{
	return string_table_intern(&builder->strings, text, strlen(text));
}

void timeline_builder_add(struct timeline_builder *builder, uint64_t time_ns, const char *leaf,
			  uint64_t events)
{
	uint32_t outer = call_tree_child(builder->calls, CALL_TREE_ROOT, name_of(builder, "main"));

	assert_true(builder->timeline.sample_count < TIMELINE_BUILDER_MAX);
	builder->timeline.samples[builder->timeline.sample_count++] = (struct timeline_sample){
		.time_ns = time_ns,
		.samples = 1,
		.events = events,
		.node = leaf ? call_tree_child(builder->calls, outer, name_of(builder, leaf))
			     : CALL_TREE_ROOT,
		.counter = TIMELINE_BUILDER_COUNTER,
	};
}

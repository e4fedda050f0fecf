/* Timelines for tests: samples of stacks of two frames, added in the order of time. */
#ifndef TESTS_SUPPORT_TIMELINE_BUILDER_H
#define TESTS_SUPPORT_TIMELINE_BUILDER_H

#include <stdint.h>

#include "runtime/profile/base/string_table.h"
#include "runtime/profile/time/timeline.h"

#define TIMELINE_BUILDER_COUNTER 1
#define TIMELINE_BUILDER_MAX	 200000 /* samples */

struct call_tree;

struct timeline_builder {
	struct string_table strings;
	struct call_tree *calls;
	struct timeline timeline;
};

/* Make one from `from_ns` to `end_ns`; release it with timeline_builder_free(). */
struct timeline_builder timeline_builder_new(uint64_t from_ns, uint64_t end_ns);
void timeline_builder_free(struct timeline_builder *builder);

/* Add a sample of TIMELINE_BUILDER_COUNTER, of a stack that ends in `leaf`; NULL: one that is not
 * selected. */
void timeline_builder_add(struct timeline_builder *builder, uint64_t time_ns, const char *leaf,
			  uint64_t events);

#endif

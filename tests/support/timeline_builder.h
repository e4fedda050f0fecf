/* Timelines for tests: samples of stacks of two frames, added in the order of time. */
#ifndef TESTS_SUPPORT_TIMELINE_BUILDER_H
#define TESTS_SUPPORT_TIMELINE_BUILDER_H

#include "runtime/output/report/intervals.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/time/timeline.h"

#define TIMELINE_BUILDER_COUNTER 1
#define TIMELINE_BUILDER_MAX	 200000 /* samples */
#define MS			 1000000ULL
#define S			 1000000000ULL

extern struct timeline_builder {
	struct string_table strings;
	struct call_tree *calls;
	struct timeline timeline;
} timeline_builder; /* there is one at a time, which unit_teardown() frees */

/* Begin one from `from_ns` to `end_ns`. */
void timeline_builder_begin(uint64_t from_ns, uint64_t end_ns);

/* Add a sample of TIMELINE_BUILDER_COUNTER, of a stack that ends in `leaf`; NULL: one that is not
 * selected.  Returns it for changes. */
struct timeline_sample *timeline_builder_add(uint64_t time_ns, const char *leaf, uint64_t events);

/* That counter of the timeline, which is there until the next is begun. */
struct load_source timeline_builder_source(void);

#endif

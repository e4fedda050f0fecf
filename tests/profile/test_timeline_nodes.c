/* Samples of the timeline are at the nodes of the merged trees: their sums are the trees' weights.
 */
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/analysis/selection.h"
#include "runtime/profile/time/timeline.h"
#include "tests/support/timed_process.h"
#include "tests/support/unit.h"

static char line[512];
static const struct timeline *timeline;

TEST(a_stack_that_is_not_selected_is_at_the_root)
{
	struct profile_options options = { .timeline = true, .locations = true };
	struct timed_process process = timed_process_new(0, 100);

	assert_int_equal(selection_add(&options.selection, SELECTION_IGNORE, "idle", line,
				       sizeof(line)),
			 0);
	timed_process_take(&process, 101 * TIMED_S, 0, 1);
	timed_process_take(&process, 102 * TIMED_S, 1, 2);
	timeline = timed_process_read(&options, &process, 1);
	assert_string_equal(timed_process_name(timeline->samples[0].node), "program.work_[p]");
	assert_int_not_equal(timeline->samples[0].location, 0);
	assert_int_equal(timeline->samples[1].node, CALL_TREE_ROOT);
	assert_int_equal(timeline->samples[1].location, 0);
	timed_process_check_sums();
	selection_free(options.selection);
}

/* Native frames around a function are shown or not; its samples stay its own. */
TEST(samples_are_at_the_nodes_that_are_shown)
{
	for (unsigned interp = 0; interp < 4; interp++) {
		const struct profile_options options = { .timeline = true,
							 .locations = true,
							 .interp = interp };
		struct timed_process process = timed_process_new(0, 100);
		uint32_t native = spool_builder_node(&process.builder, &process.thread,
						     SPOOL_PC_PREEMPTED, process.node[0]);
		uint32_t alone =
			spool_builder_node(&process.builder, &process.thread, SPOOL_PC_NO_USER, 0);
		const struct spool_builder_sample samples[] = {
			{ .time_ns = 101 * TIMED_S, .node = native, .samples = 1, .events = 7 },
			{ .time_ns = 102 * TIMED_S, .node = alone, .samples = 1, .events = 9 },
		};

		timed_process_take(&process, 100 * TIMED_S, 1, 3);
		/* the log of a live process may be ahead of its tree */
		spool_builder_take(&process.builder, &process.thread, &samples[0]);
		spool_builder_take(&process.builder, &process.thread, &samples[1]);
		timeline = timed_process_read(&options, &process, 1);
		assert_int_equal(timeline->sample_count, 3);
		for (size_t i = 0; i < 3; i++)
			assert_int_not_equal(timeline->samples[i].location, 0);
		timed_process_check_sums();
	}
}

/* A live process may count a sample in its log before its tree. */
TEST(samples_may_be_ahead_of_the_tree)
{
	struct timed_process process = timed_process_new(0, 100);

	for (unsigned node = 0; node < 2; node++)
		spool_builder_log(&process.builder, &process.thread,
				  &(struct spool_builder_sample){ .time_ns = 101 * TIMED_S,
								  .node = process.node[node],
								  .samples = 1,
								  .events = 5 });
	timeline = timed_process_read(NULL, &process, 1);
	assert_int_equal(timeline->sample_count, 2);
	assert_string_equal(timed_process_name(timeline->samples[0].node), "program.work_[p]");
	assert_string_equal(timed_process_name(timeline->samples[1].node), "program.idle_[p]");
}

/* CLOCK_MONOTONIC and CLOCK_REALTIME of a process are whole seconds. */
#include "tests/support/timed_process.h"

#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/time/timeline.h"
#include "tests/support/unit.h"

struct spool_builder_thread timed_process_thread(struct timed_process *process, uint32_t tid,
						 const char *name)
{
	struct spool_builder_thread thread = spool_builder_thread(&process->builder, tid, name);

	thread.slot->start_ns = spool_builder_header(&process->builder)->start_ns;
	return thread;
}

struct timed_process timed_process_new(uint64_t realtime_s, uint64_t start_s)
{
	struct timed_process process = { .builder = spool_builder_new(2, 1 << 20) };
	struct spool_header *header = spool_builder_header(&process.builder);
	uint32_t number;

	header->start_realtime_ns = TIMED_REALTIME + realtime_s * TIMED_S;
	header->start_ns = start_s * TIMED_S;
	header->end_ns = (start_s + 10) * TIMED_S;
	strcpy(header->host, "here");
	process.thread = timed_process_thread(&process, 4242, "main");
	spool_builder_code(&process.builder, "work", "/program.py", &number);
	process.node[0] =
		spool_builder_node(&process.builder, &process.thread, spool_code_pc(number, 1), 0);
	spool_builder_code(&process.builder, "idle", "/program.py", &number);
	process.node[1] = spool_builder_node(&process.builder, &process.thread,
					     spool_code_pc(number, 2), process.node[0]);
	return process;
}

void timed_process_take(struct timed_process *process, uint64_t time_ns, unsigned node,
			uint64_t events)
{
	spool_builder_take(&process->builder, &process->thread,
			   &(struct spool_builder_sample){ .time_ns = time_ns,
							   .node = process->node[node],
							   .samples = 1,
							   .events = events });
}

static struct profile *profile;

const struct timeline *timed_process_read(const struct profile_options *options,
					  struct timed_process *processes, size_t count)
{
	static const struct profile_options timeline = { .timeline = true };

	profile_free(profile);
	profile = profile_new(options ? options : &timeline);
	for (size_t i = 0; i < count; i++)
		spool_builder_read(&processes[i].builder, profile);
	if (profile_settle(profile))
		abort();
	return profile_merge(profile)->timeline;
}

UNIT(teardown)
{
	profile_free(profile);
	profile = NULL;
	return 0;
}

const char *timed_process_text(uint32_t number)
{
	return string_table_text(&profile_merge(profile)->strings, number);
}

const char *timed_process_name(uint32_t node)
{
	return timed_process_text(call_tree_node(profile_merge(profile)->calls, node).name);
}

void timed_process_check_sums(void)
{
	const struct profile_trees *merge = profile_merge(profile);
	const struct timeline *timeline = merge->timeline;

	for (uint32_t counter = 0; counter < profile_counter_count(profile); counter++)
		for (uint32_t node = 0; node < call_tree_count(merge->calls); node++) {
			struct spool_read_weight sum = { 0, 0 },
						 weight = call_tree_weight(merge->calls, node,
									   counter);

			for (size_t i = 0; i < timeline->sample_count; i++) {
				const struct timeline_sample *sample = &timeline->samples[i];

				if (sample->node != node || sample->counter != counter)
					continue;
				sum.samples += sample->samples;
				sum.events += sample->events;
			}
			if (sum.samples != weight.samples || sum.events != weight.events)
				abort();
		}
}

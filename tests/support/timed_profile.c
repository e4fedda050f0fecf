/* The frames are those of a spool that is read as any other; the timeline is put beside them. */
#include "tests/support/timed_profile.h"

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"
#include "tests/support/spool_builder.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define EXECUTABLE 0x400000
#define LIBRARY	   0x7f0000000000
#define PYTHON	   0x7e0000000000
#define FIRST_NODE 2 /* behind the root and the command, or the root and the owner */

static void fill(struct spool_builder *builder)
{
	struct spool_builder_thread thread = spool_builder_thread(builder, 4242, "first");
	struct spool_module *module;
	uint32_t node;
	uint32_t code;

	module = spool_builder_module(builder, EXECUTABLE, EXECUTABLE + 0x1000, 0, "/no/program");
	module->flags = SPOOL_MODULE_EXECUTABLE;
	module = spool_builder_module(builder, LIBRARY, LIBRARY + 0x10000, LIBRARY,
				      "/no/lib (1).so");
	module->build_id_bytes = 20;
	for (unsigned i = 0; i < 20; i++)
		module->build_id[i] = (uint8_t)(i + 1);
	spool_builder_module(builder, PYTHON, PYTHON + 0x1000, PYTHON, "/no/libpython.so");
	spool_builder_code(builder, "a\n\xfe b", "/no/script.py", &code);
	node = spool_builder_node(builder, &thread, EXECUTABLE + 0x10, 0);
	node = spool_builder_node(builder, &thread, LIBRARY + 0x20, node);
	/* The interpreter's function makes way for that of the script. */
	node = spool_builder_node(builder, &thread, PYTHON + 0x30, node);
	node = spool_builder_node(builder, &thread, spool_code_pc(code, 7), node);
	node = spool_builder_node(builder, &thread, 0xffffffff81000000, node);
	spool_builder_weigh(builder, node, 0, 1, 1);
}

static void describe(struct spool_header *header, unsigned counters)
{
	header->start_ns = TIMED_PROFILE_START;
	header->start_realtime_ns = 1700000000123456789U;
	strcpy(header->counter[0].name, "task-clock");
	header->counter[0].unit = SPOOL_UNIT_NS;
	header->counter[0].period = 1000000;
	if (counters < 2)
		return;
	strcpy(header->counter[1].name, "off-cpu");
	header->counter[1].unit = SPOOL_UNIT_NS;
	header->counter[1].flags = SPOOL_COUNTER_OFF_CPU;
}

static void read_spool(struct timed_profile *made, unsigned counters)
{
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE, .locations = true };
	struct spool_builder builder = spool_builder_new(counters, 1 << 18);

	describe(spool_builder_header(&builder), counters);
	fill(&builder);
	made->profile = profile_new(&options);
	assert_non_null(made->profile);
	spool_builder_read(&builder, made->profile);
}

static struct profile_trees *merge_of(const struct timed_profile *made)
{
	return (struct profile_trees *)profile_merge(made->profile);
}

uint32_t timed_profile_text(struct timed_profile *made, const char *text)
{
	return string_table_intern(&merge_of(made)->strings, text, strlen(text));
}

static void make(struct timed_profile *made, unsigned counters)
{
	memset(made, 0, sizeof(*made));
	read_spool(made, counters);
	made->process = (struct timeline_process){
		.pid = 4242,
		.command = timed_profile_text(made, "target"),
		.end_ns = 5000000000,
	};
	made->tracks[0] = (struct timeline_track){
		.tid = 4242,
		.name = timed_profile_text(made, "a b"),
		.end_ns = 5000000000,
	};
	made->tracks[1] = (struct timeline_track){
		.tid = 4243,
		.name = timed_profile_text(made, TIMED_PROFILE_NAME),
		.end_ns = 5000000000,
	};
	made->timeline = (struct timeline){
		.tracks = made->tracks,
		.track_count = 2,
		.processes = &made->process,
		.process_count = 1,
		.marks = made->marks,
		.labels = made->labels,
		.traces = &made->trace,
		.trace_count = 1,
		.zero_realtime_ns = 1700000000123456789U,
		.end_ns = 5000000000,
	};
	merge_of(made)->timeline = &made->timeline;
}

static void unmake(struct timed_profile *made)
{
	merge_of(made)->timeline = NULL;
	profile_free(made->profile);
	free(made->timeline.samples);
}

void timed_profile_counters(struct timed_profile *made, unsigned counters)
{
	unmake(made);
	make(made, counters);
}

UNIT(setup)
{
	*state = malloc(sizeof(struct timed_profile));
	assert_non_null(*state);
	make(*state, 1);
	return 0;
}

UNIT(teardown)
{
	unmake(*state);
	free(*state);
	return 0;
}

struct timeline_sample *timed_profile_sample(struct timed_profile *made, uint64_t time_ns,
					     uint32_t track, enum timed_profile_stack stack,
					     uint32_t counter, uint64_t samples, uint64_t events)
{
	struct timeline *timeline = &made->timeline;
	uint32_t node = stack == TIMED_PROFILE_NONE ? 0 : FIRST_NODE + (uint32_t)stack;

	assert_true(grow(&timeline->samples, timeline->sample_count, sizeof(*timeline->samples)));
	timeline->samples[timeline->sample_count] = (struct timeline_sample){
		.time_ns = time_ns,
		.samples = samples,
		.events = events,
		.node = node,
		.location = node,
		.track = track,
		.counter = counter,
	};
	return &timeline->samples[timeline->sample_count++];
}

void timed_profile_write(const struct timed_profile *made, format_writer *write)
{
	written_by(write(&(struct format_content){ .profile = made->profile }, written_begin()));
}

/* A Firefox profile has threads, samples and markers that refer to its tables. */
#include <zlib.h>

#include "tests/support/timed_profile.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define TEXT_MAX 65536

static char text[TEXT_MAX];

static void write_text(const struct timed_profile *made)
{
	z_stream stream = { .next_out = (Bytef *)text, .avail_out = TEXT_MAX - 1 };

	timed_profile_write(made, format_firefox);
	stream.next_in = (Bytef *)written.text;
	stream.avail_in = (uInt)written.bytes;
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	text[stream.total_out] = '\0';
	inflateEnd(&stream);
}

TEST_OF(struct timed_profile *made, samples_have_stacks_times_weights_and_cpu_time)
{
	timed_profile_sample(made, 1000000, 0, TIMED_PROFILE_LIBRARY, 0, 1, 1000000);
	timed_profile_sample(made, 2000001, 0, TIMED_PROFILE_MAIN, 0, 3, 1000001);
	write_text(made);
	holds(text, "\"preprocessedProfileVersion\":60,");
	holds(text, "\"startTime\":1700000000123.456789,"
		    "\"startTimeAsClockMonotonicNanosecondsSinceBoot\":1000000000000,");
	holds(text, "\"samples\":{\"stack\":[1,0],\n\"time\":[1,2.000001],\n\"weight\":[1,3],\n"
		    "\"threadCPUDelta\":[1000000,1000001],\n"
		    "\"weightType\":\"samples\",\"length\":2}");
}

TEST_OF(struct timed_profile *made, idle_time_has_rows_without_a_stack_at_its_ends)
{
	timed_profile_sample(made, 1000000, 0, TIMED_PROFILE_MAIN, 0, 1, 1000000);
	timed_profile_sample(made, 50000000, 0, TIMED_PROFILE_MAIN, 0, 1, 1000000);
	write_text(made);
	holds(text, "\"stack\":[0,null,null,0],\n\"time\":[1,1.001,48.999,50],\n"
		    "\"weight\":[1,0,0,1],\n\"threadCPUDelta\":[1000000,0,0,1000000],\n");
}

TEST_OF(struct timed_profile *made, a_window_begins_without_a_gap_before_it)
{
	made->timeline.from_ns = 49000000;
	timed_profile_sample(made, 50000000, 0, TIMED_PROFILE_MAIN, 0, 1, 1000000);
	write_text(made);
	holds(text, "\"stack\":[0],\n\"time\":[50],\n");
}

TEST_OF(struct timed_profile *made, time_off_the_processor_is_a_track_of_its_own_and_markers)
{
	timed_profile_counters(made, 2);
	timed_profile_sample(made, 1000000, 0, TIMED_PROFILE_MAIN, 0, 1, 1000000);
	timed_profile_sample(made, 4000000, 0, TIMED_PROFILE_KERNEL, 1, 0, 2500000);
	write_text(made);
	holds(text, "\"name\":\"a b: off-cpu\",\"tid\":\"4242 off-cpu\"");
	holds(text, "\"stack\":[3],\n\"time\":[1.5],\n\"weight\":[2.5],\n"
		    "\"weightType\":\"tracing-ms\",\"length\":1}");
	holds(text, "\"markers\":{\"data\":[{\"type\":\"OffCPU\",\"cause\":{\"time\":1.5,"
		    "\"stack\":3}}],\n");
	holds(text, "\"startTime\":[1.5],\n\"endTime\":[4],\n\"phase\":[1],\n");
}

TEST_OF(struct timed_profile *made,
	labels_are_markers_from_the_first_sample_with_them_to_the_next_without)
{
	uint32_t key = timed_profile_text(made, "ke\"y");

	made->labels[0] = (struct timeline_label){ 0, key, timed_profile_text(made, "old") };
	made->labels[1] = (struct timeline_label){ 1, key, timed_profile_text(made, "n\xffw") };
	made->timeline.label_count = 2;
	timed_profile_sample(made, 1000000, 0, TIMED_PROFILE_MAIN, 0, 1, 1)->labels = 2;
	timed_profile_sample(made, 2000000, 0, TIMED_PROFILE_MAIN, 0, 1, 1)->labels = 2;
	timed_profile_sample(made, 3000000, 0, TIMED_PROFILE_MAIN, 0, 1, 1);
	write_text(made);
	holds(text, "[{\"type\":\"Labels\",\"details\":\"ke\\u0022y=n\ufffdw\"}]");
	holds(text, "\"startTime\":[1],\n\"endTime\":[3],\n\"phase\":[1],\n");
}

/* Writes one sample, which has 64 labels, the last one first. */
static void write_64_labels(struct timed_profile *made, const char *value)
{
	struct timeline_label labels[64];

	for (uint32_t i = 0; i < 64; i++) {
		char key[8];

		snprintf(key, sizeof(key), "k%u", i);
		labels[i] = (struct timeline_label){ i, timed_profile_text(made, key),
						     timed_profile_text(made, value) };
	}
	made->timeline.labels = labels;
	made->timeline.label_count = 64;
	timed_profile_sample(made, 1000000, 0, TIMED_PROFILE_MAIN, 0, 1, 1)->labels = 64;
	write_text(made);
}

TEST_OF(struct timed_profile *made, a_marker_has_at_most_32_labels)
{
	write_64_labels(made, "v");
	holds(text, ", k32=v, …\"}");
}

TEST_OF(struct timed_profile *made, a_marker_begins_no_label_behind_1000_bytes)
{
	char value[201] = { 0 };

	memset(value, 'v', sizeof(value) - 1);
	write_64_labels(made, value);
	holds(text, ", k59=vv");
	holds(text, "vv, …\"}");
	assert_null(strstr(text, "k58="));
}

TEST_OF(struct timed_profile *made, marks_of_a_process_go_to_no_thread_of_another_one)
{
	struct timeline_process processes[2] = { made->process, made->process };

	made->timeline.processes = processes;
	made->timeline.process_count = 2;
	made->tracks[1].process = 1;
	for (uint32_t i = 0; i < 2; i++)
		made->marks[i] =
			(struct timeline_mark){ .time_ns = 7000000,
						.kind = SPOOL_MARK_LOAD,
						.process = 1 - i,
						.track = TIMELINE_NONE,
						.text = timed_profile_text(made,
									   i ? "/of/0" : "/of/1") };
	made->timeline.mark_count = 2;
	write_text(made);
	holds(text, "\"data\":[{\"type\":\"Mark\",\"details\":\"/of/0\"}],");
	holds(text, "\"data\":[{\"type\":\"Mark\",\"details\":\"/of/1\"}],");
}

TEST_OF(struct timed_profile *made, marks_of_a_process_are_markers_of_its_first_thread)
{
	made->marks[0] = (struct timeline_mark){ .time_ns = 7000000,
						 .kind = SPOOL_MARK_LOAD,
						 .track = TIMELINE_NONE,
						 .text = timed_profile_text(made, "/no/x.so") };
	made->marks[1] = (struct timeline_mark){
		.time_ns = 8000000, .kind = SPOOL_MARK_FORK, .track = 1, .value = 99
	};
	made->timeline.mark_count = 2;
	write_text(made);
	holds(text, "\"data\":[{\"type\":\"Mark\",\"details\":\"/no/x.so\"}],");
	holds(text, "\"data\":[{\"type\":\"Mark\",\"details\":\"pid 99\"}],");
	holds(text, "\"startTime\":[7],\n\"endTime\":[null],\n\"phase\":[0],\n");
}

TEST_OF(struct timed_profile *made, frames_have_functions_libraries_and_categories)
{
	write_text(made);

	holds(text, "\"stackTable\":{\"frame\":[0,1,2,3],\n\"prefix\":[null,0,1,2],\n"
		    "\"length\":4}");
	holds(text, "\"address\":[4194320,32,-1,-1],\n");
	holds(text, "\"category\":[1,1,4,2],\n");
	holds(text, "\"func\":[0,1,2,3],\n");
	holds(text, "\"line\":[null,null,7,null],\n");
	holds(text, "\"breakpadId\":\"0403020106050807090A0B0C0D0E0F100\","
		    "\"codeId\":\"0102030405060708090a0b0c0d0e0f1011121314\"}");
	holds(text, "\"script.a?\ufffd b\"");
	holds(text, "\"name\":\"\ufffd\\u0022\\u003c\ufffd\\u003e\"");
}

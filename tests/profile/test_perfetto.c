/* A Perfetto trace has each sample with its time and stack, and refers only to what was interned in
 * its sequence before. */
#include <perfetto.pb-c.h>

#include "tests/support/timed_profile.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define COUNTERS 2 /* the sequence of the first one */

static Perfetto__Trace *trace; /* that was written last */

static void write_trace(const struct timed_profile *made)
{
	timed_profile_write(made, format_perfetto);
	if (trace)
		perfetto__trace__free_unpacked(trace, NULL);
	trace = perfetto__trace__unpack(NULL, written.bytes, (uint8_t *)written.text);
	assert_non_null(trace);
}

/* The number-th sample of a sequence, from 0 on. */
static const Perfetto__Packet *sample_of(uint32_t sequence, unsigned number)
{
	for (size_t i = 0; i < trace->n_packet; i++)
		if (trace->packet[i]->perf_sample &&
		    trace->packet[i]->trusted_packet_sequence_id == sequence && !number--)
			return trace->packet[i];
	fail_msg("there is no such sample");
	return NULL;
}

static bool is_text(const Perfetto__InternedString *string, const char *text)
{
	return string->str.len == strlen(text) && !memcmp(string->str.data, text, string->str.len);
}

/* Whether a sequence has a text among its names of functions. */
static bool has_function(uint32_t sequence, const char *text)
{
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__Packet *packet = trace->packet[i];

		if (packet->interned_data && packet->interned_data->n_function_names &&
		    packet->trusted_packet_sequence_id == sequence &&
		    is_text(packet->interned_data->function_names[0], text))
			return true;
	}
	return false;
}

/* The number-th event of a track, with its packet. */
static const Perfetto__Packet *event_of(uint64_t track, unsigned number)
{
	for (size_t i = 0; i < trace->n_packet; i++)
		if (trace->packet[i]->track_event &&
		    trace->packet[i]->track_event->track_uuid == track && !number--)
			return trace->packet[i];
	fail_msg("there is no such event");
	return NULL;
}

/* The track of a name, or of a thread's. */
static const Perfetto__TrackDescriptor *track_of(const char *name)
{
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__TrackDescriptor *track = trace->packet[i]->track_descriptor;

		if (track && (!strcmp(track->name, name) ||
			      (track->thread && !strcmp(track->thread->thread_name, name))))
			return track;
	}
	fail_msg("there is no such track");
	return NULL;
}

TEST_OF(struct timed_profile *made, each_sequence_begins_anew_with_its_clock)
{
	const Perfetto__ClockSnapshot *clocks;
	bool begun[4] = { 0 };

	timed_profile_counters(made, 2);
	write_trace(made);
	clocks = trace->packet[0]->clock_snapshot;
	assert_non_null(clocks);
	assert_int_equal(clocks->primary_trace_clock, 3);
	assert_int_equal(clocks->clocks[0]->timestamp, TIMED_PROFILE_START);
	assert_int_equal(clocks->clocks[1]->timestamp, 1700000000123456789U);
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__Packet *packet = trace->packet[i];
		uint32_t sequence = packet->trusted_packet_sequence_id;

		assert_in_range(sequence, 1, 3);
		assert_int_equal(packet->sequence_flags, begun[sequence] ? 2 : 1);
		if (!begun[sequence])
			assert_int_equal(packet->trace_packet_defaults->timestamp_clock_id, 3);
		begun[sequence] = true;
	}
	assert_true(begun[1] && begun[2] && begun[3]);
}

TEST_OF(struct timed_profile *made, a_sample_has_its_thread_time_sum_and_stack)
{
	const Perfetto__Packet *first;
	const Perfetto__Packet *second;

	timed_profile_sample(made, 10, 0, TIMED_PROFILE_LIBRARY, 0, 1, 7);
	timed_profile_sample(made, 20, 1, TIMED_PROFILE_LIBRARY, 0, 3, 5);
	timed_profile_sample(made, 30, 1, TIMED_PROFILE_NONE, 0, 3, 5);
	write_trace(made);
	first = sample_of(COUNTERS, 0);
	second = sample_of(COUNTERS, 1);
	assert_int_equal(first->timestamp, TIMED_PROFILE_START + 10);
	assert_int_equal(first->perf_sample->pid, 4242);
	assert_int_equal(first->perf_sample->tid, 4242);
	assert_int_equal(first->perf_sample->timebase_count, 7);
	assert_int_equal(second->perf_sample->tid, 4243);
	assert_int_equal(second->perf_sample->timebase_count, 12);
	assert_int_equal(first->perf_sample->callstack_iid, second->perf_sample->callstack_iid);
	assert_int_equal(first->interned_data->callstacks[0]->n_frame_ids, 2);
	assert_int_equal(first->interned_data->callstacks[0]->frame_ids[0], 1);
	assert_int_equal(first->interned_data->callstacks[0]->frame_ids[1], 2);
	assert_null(second->interned_data);
}

TEST_OF(struct timed_profile *made, frames_have_names_kinds_and_places_in_their_files)
{
	static const uint32_t kinds[] = { 1, 1, 3, 2 };
	static const uint64_t places[] = { 0x400010, 0x20, 0 };
	size_t frames = 0;

	write_trace(made);
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__InternedData *data = trace->packet[i]->interned_data;

		if (!data || !data->n_frames)
			continue;
		assert_int_equal(data->frames[0]->iid, ++frames);
		assert_int_equal(data->frames[0]->kind, kinds[frames - 1]);
		if (frames < 4)
			assert_int_equal(data->frames[0]->rel_pc, places[frames - 1]);
		assert_int_equal(data->frames[0]->line_number, frames == 3 ? 7 : 0);
	}
	assert_int_equal(frames, 4);
	assert_true(has_function(COUNTERS, "[lib (1).so]"));
	assert_true(has_function(COUNTERS, "script.a?\ufffd b"));
}

TEST_OF(struct timed_profile *made, each_counter_has_a_sequence_with_all_that_it_needs)
{
	timed_profile_counters(made, 2);
	timed_profile_sample(made, 10, 0, TIMED_PROFILE_MAIN, 0, 1, 7);
	timed_profile_sample(made, 50, 0, TIMED_PROFILE_MAIN, 1, 0, 30);
	write_trace(made);
	assert_int_equal(sample_of(COUNTERS + 1, 0)->perf_sample->timebase_count, 30);
	assert_int_equal(sample_of(COUNTERS + 1, 0)->interned_data->n_callstacks, 1);
	assert_true(has_function(COUNTERS + 1, "[lib (1).so]"));
}

TEST_OF(struct timed_profile *made, time_off_the_processor_is_slices_that_do_not_cross)
{
	const Perfetto__TrackDescriptor *track;

	timed_profile_counters(made, 2);
	timed_profile_sample(made, 50, 0, TIMED_PROFILE_MAIN, 1, 0, 30);
	timed_profile_sample(made, 70, 0, TIMED_PROFILE_MAIN, 1, 0, 25);
	write_trace(made);
	track = track_of("off-CPU");
	assert_int_equal(track->parent_uuid, track_of("a b")->uuid);
	assert_string_equal(event_of(track->uuid, 0)->track_event->name, "off-CPU");
	assert_int_equal(event_of(track->uuid, 0)->timestamp, TIMED_PROFILE_START + 20);
	assert_int_equal(event_of(track->uuid, 1)->timestamp, TIMED_PROFILE_START + 50);
	assert_int_equal(event_of(track->uuid, 2)->timestamp, TIMED_PROFILE_START + 50);
	assert_int_equal(event_of(track->uuid, 3)->timestamp, TIMED_PROFILE_START + 70);
	assert_int_equal(event_of(track->uuid, 3)->track_event->type, 2);
}

TEST_OF(struct timed_profile *made, labels_are_slices_and_marks_are_instants)
{
	const Perfetto__TrackEvent *event;

	made->labels[0] = (struct timeline_label){ 0, timed_profile_text(made, "k"),
						   timed_profile_text(made, "\xff") };
	made->timeline.label_count = 1;
	made->marks[0] = (struct timeline_mark){ .time_ns = 5,
						 .kind = SPOOL_MARK_LOAD,
						 .track = TIMELINE_NONE,
						 .text = timed_profile_text(made, "/no/x.so") };
	made->timeline.mark_count = 1;
	timed_profile_sample(made, 10, 1, TIMED_PROFILE_MAIN, 0, 1, 1)->labels = 1;
	timed_profile_sample(made, 20, 1, TIMED_PROFILE_MAIN, 0, 1, 1);
	write_trace(made);
	event = event_of(track_of("labels")->uuid, 0)->track_event;
	assert_string_equal(event->name, "k=\ufffd");
	event = event_of(track_of("a b")->parent_uuid, 0)->track_event;
	assert_int_equal(event->type, 3);
	assert_string_equal(event->name, "load");
	assert_string_equal(event->debug_annotations[0]->string_value, "/no/x.so");
}

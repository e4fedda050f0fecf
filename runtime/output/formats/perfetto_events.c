/*
 * Tracks: one of each process and thread, and below a thread one for its labels and one for its
 * time off the processor, so that slices of different kinds never cross.  The uuid of a track is
 * made of its kind and its index.  All images of a process are one process, as they have one pid.
 */
#include <errno.h>
#include <perfetto.pb-c.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/output/formats/perfetto_parts.h"
#include "runtime/output/formats/timed.h"

/* Numbers of the format. */
#define SLICE_BEGIN 1
#define SLICE_END   2
#define INSTANT	    3

enum track { TRACK_PROCESS, TRACK_THREAD, TRACK_LABELS, TRACK_OFF_CPU, TRACKS };

static uint64_t uuid_of(enum track track, uint32_t index)
{
	return (uint64_t)index * TRACKS + track + 1;
}

/* Returns the index of the first image of a process. */
static uint32_t first_image(const struct timeline *timeline, uint32_t process)
{
	uint32_t first = 0;

	while (timeline->processes[first].pid != timeline->processes[process].pid)
		first++;
	return first;
}

static uint64_t process_uuid(const struct timeline *timeline, uint32_t process)
{
	return uuid_of(TRACK_PROCESS, first_image(timeline, process));
}

static char *name_of(struct perfetto *perfetto, uint32_t number)
{
	const char *text = timed_text(&perfetto->timed, number);
	size_t length;

	return perfetto_text(perfetto, text, strlen(text), &length);
}

static void put_track(struct perfetto *perfetto, Perfetto__TrackDescriptor *descriptor)
{
	Perfetto__Packet packet;

	perfetto__packet__init(&packet);
	packet.track_descriptor = descriptor;
	perfetto_put(perfetto, PERFETTO_EVENTS, &packet);
}

static void write_process(struct perfetto *perfetto, uint32_t index)
{
	const struct timeline_process *process = &perfetto->timed.timeline->processes[index];
	Perfetto__TrackDescriptor descriptor;
	Perfetto__ProcessDescriptor about;
	char *name = name_of(perfetto, process->command);

	perfetto__process_descriptor__init(&about);
	about.pid = (int32_t)process->pid;
	about.process_name = name ? name : about.process_name;
	perfetto__track_descriptor__init(&descriptor);
	descriptor.uuid = process_uuid(perfetto->timed.timeline, index);
	descriptor.process = &about;
	put_track(perfetto, &descriptor);
	free(name);
}

static void write_below(struct perfetto *perfetto, enum track kind, uint32_t index, char *name)
{
	Perfetto__TrackDescriptor descriptor;

	perfetto__track_descriptor__init(&descriptor);
	descriptor.uuid = uuid_of(kind, index);
	descriptor.parent_uuid = uuid_of(TRACK_THREAD, index);
	descriptor.name = name;
	put_track(perfetto, &descriptor);
}

static void write_thread(struct perfetto *perfetto, uint32_t index)
{
	const struct timeline *timeline = perfetto->timed.timeline;
	const struct timeline_track *track = &timeline->tracks[index];
	Perfetto__TrackDescriptor descriptor;
	Perfetto__ThreadDescriptor about;
	char *name = name_of(perfetto, track->name);

	perfetto__thread_descriptor__init(&about);
	about.pid = (int32_t)timeline->processes[track->process].pid;
	about.tid = track->tid;
	about.thread_name = name ? name : about.thread_name;
	perfetto__track_descriptor__init(&descriptor);
	descriptor.uuid = uuid_of(TRACK_THREAD, index);
	descriptor.parent_uuid = process_uuid(timeline, track->process);
	descriptor.thread = &about;
	put_track(perfetto, &descriptor);
	free(name);
}

void perfetto_write_tracks(struct perfetto *perfetto)
{
	for (uint32_t i = 0; i < perfetto->timed.timeline->process_count; i++)
		write_process(perfetto, i);
	for (uint32_t i = 0; i < perfetto->timed.timeline->track_count; i++)
		write_thread(perfetto, i);
}

static void put_event(struct perfetto *perfetto, uint64_t time_ns, Perfetto__TrackEvent *event)
{
	Perfetto__Packet packet;

	perfetto__packet__init(&packet);
	packet.timestamp = perfetto_time(perfetto, time_ns);
	packet.track_event = event;
	perfetto_put(perfetto, PERFETTO_EVENTS, &packet);
}

static void write_slice(struct perfetto *perfetto, uint64_t track, char *name, uint64_t from_ns,
			uint64_t to_ns)
{
	Perfetto__TrackEvent event;

	perfetto__track_event__init(&event);
	event.track_uuid = track;
	event.type = SLICE_BEGIN;
	event.name = name ? name : event.name;
	put_event(perfetto, from_ns, &event);
	perfetto__track_event__init(&event);
	event.track_uuid = track;
	event.type = SLICE_END;
	put_event(perfetto, to_ns, &event);
}

static char *details_of(struct perfetto *perfetto, const struct timeline_mark *mark,
			const struct timed_span *span)
{
	size_t bytes;
	char *text = timed_spans_details(&perfetto->timed, mark, span, &bytes);

	if (!text)
		perfetto->err = -ENOMEM;
	return text;
}

static void write_mark(struct perfetto *perfetto, const struct timeline_mark *mark)
{
	char *details = details_of(perfetto, mark, NULL);
	Perfetto__TrackEvent event;
	Perfetto__DebugAnnotation annotation;
	Perfetto__DebugAnnotation *annotations = &annotation;

	perfetto__debug_annotation__init(&annotation);
	annotation.name = (char *)"details";
	annotation.string_value = details ? details : annotation.string_value;
	perfetto__track_event__init(&event);
	event.type = INSTANT;
	event.name = (char *)timed_mark_name(mark->kind);
	event.track_uuid = mark->track == TIMELINE_NONE
				   ? process_uuid(perfetto->timed.timeline, mark->process)
				   : uuid_of(TRACK_THREAD, mark->track);
	event.debug_annotations = &annotations;
	event.n_debug_annotations = details && details[0] ? 1 : 0;
	put_event(perfetto, mark->time_ns, &event);
	free(details);
}

static void write_span(struct perfetto *perfetto, const struct timed_span *span)
{
	char *text = details_of(perfetto, NULL, span);

	write_slice(perfetto, uuid_of(TRACK_LABELS, span->track), text, span->from_ns, span->to_ns);
	free(text);
}

static void write_spans(struct perfetto *perfetto)
{
	struct timed_span *spans;
	size_t count;

	perfetto->err = timed_spans_make(perfetto->timed.timeline, &spans, &count);
	for (size_t i = 0; i < count; i++) {
		if (!i || spans[i].track != spans[i - 1].track)
			write_below(perfetto, TRACK_LABELS, spans[i].track, (char *)"labels");
		write_span(perfetto, &spans[i]);
	}
	free(spans);
}

/* Joined spans may reach back beyond the one before: slices of a track must not. */
static void write_waits(struct perfetto *perfetto, uint32_t track, unsigned counter)
{
	const struct timed *timed = &perfetto->timed;
	uint64_t last_ns = 0;
	size_t count;
	const size_t *order = timed_samples(timed, track, counter, &count);

	if (count)
		write_below(perfetto, TRACK_OFF_CPU, track, (char *)"off-CPU");
	for (size_t i = 0; i < count; i++) {
		const struct timeline_sample *sample = &timed->timeline->samples[order[i]];
		uint64_t from_ns = timed_begin(sample);

		if (!sample->events)
			continue;
		write_slice(perfetto, uuid_of(TRACK_OFF_CPU, track), (char *)"off-CPU",
			    from_ns > last_ns ? from_ns : last_ns, sample->time_ns);
		last_ns = sample->time_ns;
	}
}

void perfetto_write_events(struct perfetto *perfetto)
{
	const struct timed *timed = &perfetto->timed;

	for (size_t i = 0; i < timed->timeline->mark_count; i++)
		write_mark(perfetto, &timed->timeline->marks[i]);
	write_spans(perfetto);
	for (unsigned c = 0; c < timed->counters; c++)
		for (uint32_t i = 0; i < timed->timeline->track_count; i++)
			if (timed_is_off_cpu(timed, c))
				write_waits(perfetto, i, c);
}

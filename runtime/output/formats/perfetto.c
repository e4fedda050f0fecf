/*
 * A trace for Perfetto (ui.perfetto.dev, trace_processor): samples with their stacks as PerfSample,
 * and marks, labels and time off the processor as events of tracks.
 *
 * Each counter is a sequence of packets of its own, with the counter's name as time base and its
 * events so far in each sample; the events of tracks are the first sequence.  Times are
 * CLOCK_MONOTONIC, and a snapshot of the clocks has the wall-clock time of time 0.
 *
 * Packets are packed and written one by one: concatenated messages with one packet each are one
 * message with all packets.
 */
#include <errno.h>
#include <perfetto.pb-c.c> /* NOLINT(bugprone-suspicious-include): made by protoc */
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/safe_text.h"
#include "runtime/output/formats/perfetto_parts.h"
#include "runtime/output/formats/protobuf.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/formats/format_content.h"

/* Numbers of the format. */
#define CLOCK_REALTIME_ID    1
#define CLOCK_MONOTONIC_ID   3
#define PERF_CLOCK_MONOTONIC 2
#define STATE_CLEARED	     1
#define STATE_NEEDED	     2
#define MODE_KERNEL	     1
#define MODE_USER	     2

struct sink {
	ProtobufCBuffer base;
	FILE *file;
};

static void append(ProtobufCBuffer *buffer, size_t length, const uint8_t *bytes)
{
	fwrite_unlocked(bytes, 1, length, ((struct sink *)buffer)->file);
}

void perfetto_put(struct perfetto *perfetto, uint32_t sequence, Perfetto__Packet *packet)
{
	struct sink sink = { { .append = append }, perfetto->file };
	Perfetto__Trace trace;

	perfetto__trace__init(&trace);
	trace.packet = &packet;
	trace.n_packet = 1;
	packet->trusted_packet_sequence_id = sequence;
	if (!packet->sequence_flags)
		packet->sequence_flags = STATE_NEEDED;
	protobuf_pack(&trace.base, &sink.base);
}

uint64_t perfetto_time(const struct perfetto *perfetto, uint64_t time_ns)
{
	return perfetto->timed.zero_ns + time_ns;
}

char *perfetto_text(struct perfetto *perfetto, const char *text, size_t bytes, size_t *length)
{
	char *safe = safe_text_copy(text, bytes, length);

	if (!safe)
		perfetto->err = -ENOMEM;
	return safe;
}

/* Begin a sequence; `samples` is about its samples, or NULL. */
static void begin_sequence(struct perfetto *perfetto, uint32_t sequence, Perfetto__Packet *packet,
			   Perfetto__PerfSampleDefaults *samples)
{
	Perfetto__Defaults defaults;

	perfetto__defaults__init(&defaults);
	defaults.timestamp_clock_id = CLOCK_MONOTONIC_ID;
	defaults.perf_sample_defaults = samples;
	packet->trace_packet_defaults = &defaults;
	packet->sequence_flags = STATE_CLEARED;
	packet->first_packet_on_sequence = true;
	perfetto_put(perfetto, sequence, packet);
	packet->trace_packet_defaults = NULL;
}

/* The first packet of all: which clock is which. */
static void write_clocks(struct perfetto *perfetto)
{
	Perfetto__ClockSnapshot snapshot;
	Perfetto__Packet packet;
	Perfetto__Clock clock[2];
	Perfetto__Clock *clocks[2] = { &clock[0], &clock[1] };

	perfetto__clock__init(&clock[0]);
	perfetto__clock__init(&clock[1]);
	clock[0].clock_id = CLOCK_MONOTONIC_ID;
	clock[0].timestamp = perfetto->timed.zero_ns;
	clock[1].clock_id = CLOCK_REALTIME_ID;
	clock[1].timestamp = perfetto->timed.timeline->zero_realtime_ns;
	perfetto__clock_snapshot__init(&snapshot);
	snapshot.clocks = clocks;
	snapshot.n_clocks = 2;
	snapshot.primary_trace_clock = CLOCK_MONOTONIC_ID;
	perfetto__packet__init(&packet);
	packet.clock_snapshot = &snapshot;
	packet.timestamp = perfetto->timed.zero_ns;
	begin_sequence(perfetto, PERFETTO_EVENTS, &packet, NULL);
}

static void begin_counter(struct perfetto *perfetto, unsigned counter)
{
	const struct spool_counter *about = profile_counter(perfetto->timed.profile, counter);
	Perfetto__PerfSampleDefaults defaults;
	Perfetto__Timebase timebase;
	Perfetto__Packet packet;
	size_t length;
	char *name = perfetto_text(perfetto, about->name, strlen(about->name), &length);

	perfetto__timebase__init(&timebase);
	timebase.timestamp_clock = PERF_CLOCK_MONOTONIC;
	timebase.name = name ? name : timebase.name;
	if (about->frequency_hz)
		timebase.frequency = about->frequency_hz;
	else
		timebase.period = profile_period(perfetto->timed.profile, counter);
	perfetto__perf_sample_defaults__init(&defaults);
	defaults.timebase = &timebase;
	perfetto__packet__init(&packet);
	begin_sequence(perfetto, PERFETTO_COUNTER + counter, &packet, &defaults);
	free(name);
	perfetto_intern(perfetto, PERFETTO_COUNTER + counter);
}

/* What was written of the samples so far. */
struct progress {
	uint64_t count[SPOOL_COUNTERS_MAX]; /* events of each counter */
	uint16_t *known; /* by stack: bits of the counters in whose sequence it is */
};

_Static_assert(SPOOL_COUNTERS_MAX <= 16, "a bit for each counter");

static uint32_t mode_of(const struct timed *timed, uint32_t stack)
{
	if (stack == TIMED_NONE)
		return 0;
	return timed->frames[timed->stacks[stack].frame].kind == FRAME_KIND_KERNEL ? MODE_KERNEL
										   : MODE_USER;
}

/* A stack comes with the first sample that has it. */
static void write_sample(struct perfetto *perfetto, struct progress *progress,
			 const struct timeline_sample *sample)
{
	const struct timed *timed = &perfetto->timed;
	const struct timeline_track *track = &timed->timeline->tracks[sample->track];
	uint32_t stack = timed_stack_of(timed, sample);
	Perfetto__InternedData interned;
	Perfetto__Callstack callstack;
	Perfetto__Callstack *callstacks = &callstack;
	Perfetto__PerfSample about;
	Perfetto__Packet packet;

	perfetto__packet__init(&packet);
	perfetto__perf_sample__init(&about);
	packet.timestamp = perfetto_time(perfetto, sample->time_ns);
	packet.perf_sample = &about;
	about.pid = timed->timeline->processes[track->process].pid;
	about.tid = track->tid;
	about.cpu_mode = mode_of(timed, stack);
	about.timebase_count = progress->count[sample->counter] += sample->events;
	if (stack != TIMED_NONE) {
		about.callstack_iid = (uint64_t)stack + 1;
		if (!(progress->known[stack] >> sample->counter & 1)) {
			perfetto__interned_data__init(&interned);
			perfetto_callstack(perfetto, stack, &callstack);
			interned.callstacks = &callstacks;
			interned.n_callstacks = 1;
			packet.interned_data = &interned;
			progress->known[stack] |= (uint16_t)(1U << sample->counter);
		}
	}
	perfetto_put(perfetto, PERFETTO_COUNTER + sample->counter, &packet);
}

static int write_samples(struct perfetto *perfetto)
{
	const struct timeline *timeline = perfetto->timed.timeline;
	struct progress progress = { 0 };

	progress.known = calloc((size_t)perfetto->timed.stack_count + 1, sizeof(uint16_t));
	if (!progress.known)
		return -ENOMEM;
	for (size_t i = 0; !perfetto->err && i < timeline->sample_count; i++)
		if (timed_has_events(&timeline->samples[i]))
			write_sample(perfetto, &progress, &timeline->samples[i]);
	free(progress.known);
	return perfetto->err;
}

static int write_all(struct perfetto *perfetto)
{
	int err;

	write_clocks(perfetto);
	perfetto_write_tracks(perfetto);
	perfetto_write_events(perfetto);
	for (unsigned i = 0; i < perfetto->timed.counters; i++)
		begin_counter(perfetto, i);
	err = write_samples(perfetto);
	return !err && ferror(perfetto->file) ? -EIO : err;
}

int format_perfetto(const struct format_content *content, FILE *file)
{
	struct perfetto perfetto = { .file = file };
	int err = timed_make(&perfetto.timed, content->profile, SETTINGS_WEIGHT_EVENTS);

	if (!err)
		err = protobuf_load();
	if (!err)
		err = write_all(&perfetto);
	free(perfetto.frames);
	timed_free(&perfetto.timed);
	return err;
}

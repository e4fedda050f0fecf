/*
 * Times are kept relative to the start of the first spool, modulo 2^64, until they are settled.  So
 * a spool that started earlier may come later.
 */
#include "runtime/profile/time/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/spool/spool_read.h"

struct build {
	struct timeline timeline; /* what others see */
	struct string_table *strings;
	struct map labels; /* {below and key, value} to the label's index + 1 */
	struct map tracks; /* {process and tid, start} to the track's index + 1 */
	struct string_table
		traces;	  /* bytes of struct spool_read_trace; numbers are as in samples */
	uint64_t *ticks;  /* by process: when it started, which exec does not change */
	uint64_t zero_ns; /* CLOCK_REALTIME of time 0 so far */
	/* of the spool that is being added */
	const struct spool_read *spool;
	uint64_t shift_ns; /* added to its times */
	uint32_t process;
	uint32_t *label_of; /* by label of the spool: the timeline's index + 1 */
};

static struct build *build_of(struct timeline *timeline)
{
	return (struct build *)timeline;
}

struct timeline *timeline_new(struct string_table *strings)
{
	struct build *build = calloc(1, sizeof(*build));

	if (!build)
		return NULL;
	build->strings = strings;
	return &build->timeline;
}

void timeline_free(struct timeline *timeline)
{
	struct build *build = build_of(timeline);

	if (!timeline)
		return;
	free(timeline->samples);
	free(timeline->tracks);
	free(timeline->processes);
	free(timeline->marks);
	free(timeline->labels);
	free(timeline->traces);
	map_free(&build->labels);
	map_free(&build->tracks);
	string_table_free(&build->traces);
	free(build->ticks);
	free(build->label_of);
	free(build);
}

static uint32_t intern(struct build *build, const char *text)
{
	return string_table_intern(build->strings, text, strlen(text));
}

static uint32_t intern_text(struct build *build, struct spool_text text)
{
	return string_table_intern(build->strings, text.bytes ? build->spool->texts + text.at : "",
				   text.bytes);
}

/* Returns the timeline's number of a label whose key and value are known; 0 when memory is out. */
static uint32_t find_label(struct build *build, const struct timeline_label *label)
{
	struct timeline *timeline = &build->timeline;
	uint32_t *known =
		map_at(&build->labels, (uint64_t)label->below << 32 | label->key, label->value);

	if (!known || *known)
		return known ? *known : 0;
	if (!grow(&timeline->labels, timeline->label_count, sizeof(*label)))
		return 0;
	timeline->labels[timeline->label_count++] = *label;
	*known = timeline->label_count;
	return *known;
}

static int take_labels(struct build *build)
{
	const struct spool_read *spool = build->spool;

	free(build->label_of);
	build->label_of = calloc(spool->label_count + 1, sizeof(*build->label_of));
	if (!build->label_of)
		return -ENOMEM;
	for (size_t i = 0; i < spool->label_count; i++) {
		const struct spool_label *from = &spool->labels[i];
		struct timeline_label label = {
			.below = from->below ? build->label_of[from->below - 1] : 0,
			.key = intern_text(build, from->key),
			.value = intern_text(build, from->value),
		};

		if (label.key && label.value)
			build->label_of[i] = find_label(build, &label);
		if (!build->label_of[i])
			return -ENOMEM;
	}
	return 0;
}

static int take_process(struct build *build)
{
	const struct spool_read *spool = build->spool;
	struct timeline *timeline = &build->timeline;
	struct timeline_process process = {
		.pid = spool->header.pid,
		.parent_pid = spool->header.parent_pid,
		.command = intern(build, spool->header.command),
		.executable = intern(build, spool->header.executable),
		.host = intern(build, spool->header.host),
		.start_ns = spool->header.start_ns + build->shift_ns,
		.end_ns = spool->last_ns + build->shift_ns,
	};

	if (!process.command || !process.executable || !process.host ||
	    !grow(&timeline->processes, timeline->process_count, sizeof(process)) ||
	    !grow(&build->ticks, timeline->process_count, sizeof(*build->ticks)))
		return -ENOMEM;
	build->process = timeline->process_count++;
	build->ticks[build->process] = spool->header.start_ticks;
	timeline->processes[build->process] = process;
	return 0;
}

int timeline_begin(struct timeline *timeline, const struct spool_read *spool, uint64_t offset_ns)
{
	struct build *build = build_of(timeline);
	int err;

	if (!timeline->process_count)
		build->zero_ns = spool->header.start_ns + offset_ns;
	build->spool = spool;
	build->shift_ns = offset_ns - build->zero_ns;
	if (!spool->header.timeline_bytes)
		timeline->partial = true;
	timeline->thinned += spool->header.count[SPOOL_COUNT_LOG_THINNED];
	timeline->dropped += spool->header.count[SPOOL_COUNT_LOG_DROPPED];
	err = take_process(build);
	return err ? err : take_labels(build);
}

/* Returns the entry in build->tracks of a thread of the process; NULL when memory is out. */
static uint32_t *track_entry(struct build *build, uint32_t tid, uint64_t start_ns)
{
	return map_at(&build->tracks, (uint64_t)build->process << 32 | tid, start_ns);
}

/* Finds or makes the track of a run.  Returns 0 or -ENOMEM. */
static int find_track(struct build *build, const struct spool_read_thread *thread,
		      const struct spool_read_run *run, uint32_t *track)
{
	struct timeline *timeline = &build->timeline;
	uint32_t *known = track_entry(build, run->tid, run->start_ns);
	uint64_t end_ns = run->end_ns ? run->end_ns : (uint64_t)thread->slot.end_ns;

	if (!known)
		return -ENOMEM;
	if (!*known) {
		struct timeline_track made = {
			.process = build->process,
			.tid = run->tid,
			.name = intern(build, thread->name),
			.start_ns = run->start_ns + build->shift_ns,
			.end_ns = (end_ns ? end_ns : build->spool->last_ns) + build->shift_ns,
		};

		if (!made.name || !grow(&timeline->tracks, timeline->track_count, sizeof(made)))
			return -ENOMEM;
		timeline->tracks[timeline->track_count++] = made;
		*known = timeline->track_count;
	}
	*track = *known - 1;
	return 0;
}

/* Returns the tracks of a log by run, with that of the slot behind them, to be freed; NULL when
 * memory is out. */
static uint32_t *find_tracks(struct build *build, const struct spool_read_thread *thread)
{
	const struct spool_read_log *log = &thread->log;
	const struct spool_read_run slot = { thread->slot.tid, thread->slot.start_ns,
					     thread->slot.end_ns };
	uint32_t *tracks = calloc((size_t)log->run_count + 1, sizeof(*tracks));
	int err = tracks ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < log->run_count; i++) {
		struct spool_read_run run = log->runs[i];

		run.start_ns = run.start_ns ? run.start_ns : slot.start_ns;
		err = find_track(build, thread, &run, &tracks[i]);
	}
	if (!err && !log->run_count && slot.tid)
		err = find_track(build, thread, &slot, &tracks[log->run_count]);
	if (!err)
		return tracks;
	free(tracks);
	return NULL;
}

static uint32_t find_trace(struct build *build, const struct spool_read_trace *trace)
{
	struct timeline *timeline = &build->timeline;
	uint32_t number = string_table_intern(&build->traces, (const char *)trace, sizeof(*trace));

	if (!number || number <= timeline->trace_count)
		return number;
	if (!grow(&timeline->traces, timeline->trace_count, sizeof(*trace)))
		return 0;
	timeline->traces[timeline->trace_count++] = *trace;
	return number;
}

/* Returns the timeline's traces by trace of a log, plus 1, to be freed; NULL when memory is out. */
static uint32_t *find_traces(struct build *build, const struct spool_read_log *log)
{
	uint32_t *traces = calloc((size_t)log->trace_count + 1, sizeof(*traces));

	for (uint32_t i = 0; traces && i < log->trace_count; i++) {
		traces[i + 1] = find_trace(build, &log->traces[i]);
		if (!traces[i + 1]) {
			free(traces);
			return NULL;
		}
	}
	return traces;
}

static int add_samples(struct build *build, const struct spool_read_log *log,
		       const struct timeline_places *places, const uint32_t *tracks,
		       const uint32_t *traces)
{
	struct timeline *timeline = &build->timeline;

	for (size_t i = 0; i < log->sample_count; i++) {
		const struct spool_read_sample *from = &log->samples[i];
		uint32_t shown = places->shown ? places->shown[from->node] : from->node;

		if (!grow(&timeline->samples, timeline->sample_count, sizeof(*timeline->samples)))
			return -ENOMEM;
		timeline->samples[timeline->sample_count++] = (struct timeline_sample){
			.time_ns = from->time_ns + build->shift_ns,
			.samples = from->samples,
			.events = from->events,
			.node = places->nodes[shown],
			.location = places->locations[shown],
			.track = tracks[from->run],
			.labels = from->labels ? build->label_of[from->labels - 1] : 0,
			.trace = traces[from->trace],
			.counter = places->counters[from->counter],
		};
	}
	return 0;
}

/* Returns the text that belongs to the value of a mark: a number of the strings, or 0 for none.
 * Of two modules at one address, the first was unloaded before the second was loaded. */
static uint32_t mark_text(struct build *build, const struct spool_read_mark *mark)
{
	const struct spool_read *spool = build->spool;
	const char *found = NULL;

	if (mark->kind == SPOOL_MARK_THROTTLED || mark->kind == SPOOL_MARK_SLOWER) {
		uint64_t counter =
			mark->kind == SPOOL_MARK_SLOWER ? mark->value & 0xf : mark->value;

		if (counter < spool->header.counter_count)
			found = spool->header.counter[counter].name;
	}
	if (mark->kind == SPOOL_MARK_LOAD || mark->kind == SPOOL_MARK_UNLOAD)
		for (size_t i = 0; i < spool->module_count; i++)
			if (spool->modules[i].start == mark->value &&
			    (!found || mark->kind == SPOOL_MARK_LOAD))
				found = spool->modules[i].path;
	return found ? intern(build, found) : 0;
}

static int add_marks(struct build *build, const struct spool_read_log *log, const uint32_t *tracks)
{
	struct timeline *timeline = &build->timeline;

	for (size_t i = 0; i < log->mark_count; i++) {
		const struct spool_read_mark *from = &log->marks[i];

		if (!grow(&timeline->marks, timeline->mark_count, sizeof(*timeline->marks)))
			return -ENOMEM;
		timeline->marks[timeline->mark_count++] = (struct timeline_mark){
			.time_ns = from->time_ns + build->shift_ns,
			.kind = from->kind,
			.process = build->process,
			.track = tracks[from->run],
			.text = mark_text(build, from),
			.value = from->value,
		};
	}
	return 0;
}

int timeline_add_thread(struct timeline *timeline, const struct spool_read_thread *thread,
			const struct timeline_places *places)
{
	struct build *build = build_of(timeline);
	uint32_t *tracks = find_tracks(build, thread);
	uint32_t *traces = find_traces(build, &thread->log);
	int err = tracks && traces ? 0 : -ENOMEM;

	timeline->thinned += thread->slot.count[SPOOL_COUNT_LOG_THINNED];
	timeline->dropped += thread->slot.count[SPOOL_COUNT_LOG_DROPPED];
	if (!err)
		err = add_samples(build, &thread->log, places, tracks, traces);
	if (!err)
		err = add_marks(build, &thread->log, tracks);
	free(tracks);
	free(traces);
	return err;
}

int timeline_end(struct timeline *timeline)
{
	struct build *build = build_of(timeline);
	const struct spool_read_log *log = &build->spool->marks;
	uint32_t *tracks = calloc((size_t)log->run_count + 1, sizeof(*tracks));
	int err = tracks ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < log->run_count; i++) {
		uint32_t *known = track_entry(build, log->runs[i].tid, log->runs[i].start_ns);

		if (known)
			tracks[i] = *known ? *known - 1 : TIMELINE_NONE;
		else
			err = -ENOMEM;
	}
	if (!err)
		err = add_marks(build, log, tracks);
	free(tracks);
	build->spool = NULL;
	return err;
}

int timeline_settle(struct timeline *timeline, uint64_t zero_ns, uint64_t from_ns, uint64_t to_ns)
{
	struct build *build = build_of(timeline);
	uint64_t later_ns = build->zero_ns - zero_ns;
	int err;

	build->zero_ns = zero_ns;
	timeline->zero_realtime_ns = zero_ns;
	err = timeline_sort(timeline, later_ns, build->ticks);
	timeline->from_ns = from_ns > zero_ns ? from_ns - zero_ns : 0;
	if (to_ns != UINT64_MAX && to_ns > zero_ns && to_ns - zero_ns < timeline->end_ns)
		timeline->end_ns = to_ns - zero_ns;
	return err;
}

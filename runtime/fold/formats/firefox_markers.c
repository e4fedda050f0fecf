/*
 * Markers of a thread: first the marks of the thread, or of its process if it is the first thread
 * of it, then its labels, then its time off the processor.  The page sorts them by time.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/base/safe_text.h"
#include "runtime/fold/formats/firefox_parts.h"
#include "runtime/fold/profile/profile.h"

/* The page's numbers for the kinds of markers. */
#define INSTANT	 '0'
#define INTERVAL '1'

struct marker {
	const char *name; /* not NULL for a kind of which there are no more */
	uint64_t from_ns;
	uint64_t to_ns;
	bool interval;
	const struct timeline_mark *mark; /* one of the three is not NULL */
	const struct timed_span *span;
	const struct timeline_sample *wait;
};

/* Where a walk over the markers of a track stands. */
struct walk {
	const struct firefox *firefox;
	uint32_t track; /* TIMELINE_NONE: there are none */
	bool leads;	/* the first thread of its process has the marks of the process, too */
	size_t mark;
	const struct timed_span *span; /* the next of the track's */
	size_t spans;		       /* how many are left */
	unsigned counter;
	size_t sample;
};

static struct walk walk_of(const struct firefox *firefox, uint32_t track)
{
	const struct timeline_track *tracks = firefox->timed.timeline->tracks;
	struct walk walk = { .firefox = firefox, .track = track, .leads = true };

	if (track == TIMELINE_NONE)
		return walk;
	walk.span = timed_spans_of(firefox->spans, firefox->span_count, track, &walk.spans);
	for (uint32_t i = 0; i < track; i++)
		walk.leads &= tracks[i].process != tracks[track].process;
	return walk;
}

static bool is_here(const struct walk *walk, const struct timeline_mark *mark)
{
	if (mark->track != TIMELINE_NONE)
		return mark->track == walk->track;
	return walk->leads &&
	       mark->process == walk->firefox->timed.timeline->tracks[walk->track].process;
}

static bool next_mark(struct walk *walk, struct marker *marker)
{
	const struct timeline *timeline = walk->firefox->timed.timeline;

	while (walk->mark < timeline->mark_count) {
		const struct timeline_mark *mark = &timeline->marks[walk->mark++];

		if (!is_here(walk, mark))
			continue;
		*marker = (struct marker){ .name = timed_mark_name(mark->kind),
					   .from_ns = mark->time_ns,
					   .to_ns = mark->time_ns,
					   .mark = mark };
		return true;
	}
	return false;
}

static bool next_span(struct walk *walk, struct marker *marker)
{
	const struct timed_span *span = walk->span;

	if (!walk->spans)
		return false;
	walk->span++;
	walk->spans--;
	*marker = (struct marker){ .name = "labels",
				   .from_ns = span->from_ns,
				   .to_ns = span->to_ns,
				   .interval = true,
				   .span = span };
	return true;
}

static bool next_wait(struct walk *walk, struct marker *marker)
{
	const struct timed *timed = &walk->firefox->timed;

	for (; walk->counter < timed->counters; walk->counter++, walk->sample = 0) {
		const struct timeline_sample *sample;
		const size_t *order;
		size_t count;

		if (!timed_is_off_cpu(timed, walk->counter))
			continue;
		order = timed_samples(timed, walk->track, walk->counter, &count);
		while (walk->sample < count &&
		       !timed_has_events(&timed->timeline->samples[order[walk->sample]]))
			walk->sample++;
		if (walk->sample == count)
			continue;
		sample = &timed->timeline->samples[order[walk->sample++]];
		*marker = (struct marker){ .name = "off-CPU",
					   .from_ns = timed_begin(sample),
					   .to_ns = sample->time_ns,
					   .interval = true,
					   .wait = sample };
		return true;
	}
	return false;
}

static bool next_marker(struct walk *walk, struct marker *marker)
{
	if (walk->track == TIMELINE_NONE)
		return false;
	return next_mark(walk, marker) || next_span(walk, marker) || next_wait(walk, marker);
}

/* The text of a mark or of labels, as JSON. */
static void write_details(struct firefox *firefox, const struct marker *marker)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *file = open_memstream(&text, &bytes);

	if (file && marker->span)
		timed_spans_write(&firefox->timed, marker->span, file);
	else if (file)
		timed_write_mark(&firefox->timed, marker->mark, file);
	if (file && !fclose(file))
		safe_text_json(firefox->file, text, bytes);
	else
		fputs("\"\"", firefox->file);
	free(text);
}

static void write_data(struct firefox *firefox, const struct marker *marker)
{
	uint32_t stack;

	if (!marker->wait) {
		fprintf(firefox->file,
			"{\"type\":\"%s\",\"details\":", marker->span ? "Labels" : "Mark");
		write_details(firefox, marker);
		putc('}', firefox->file);
		return;
	}
	stack = timed_stack_of(&firefox->timed, marker->wait);
	fputs("{\"type\":\"OffCPU\"", firefox->file);
	if (stack != TIMED_NONE) {
		fputs(",\"cause\":{\"time\":", firefox->file);
		timed_write_ms(firefox->file, marker->from_ns);
		fprintf(firefox->file, ",\"stack\":%u}", stack);
	}
	putc('}', firefox->file);
}

static void write_name(struct firefox *firefox, const struct marker *marker)
{
	timed_write_number(firefox->file,
			   firefox_string(firefox, marker->name, strlen(marker->name)));
}

static void write_start(struct firefox *firefox, const struct marker *marker)
{
	timed_write_ms(firefox->file, marker->from_ns);
}

static void write_end(struct firefox *firefox, const struct marker *marker)
{
	if (marker->interval)
		timed_write_ms(firefox->file, marker->to_ns);
	else
		fputs("null", firefox->file);
}

static void write_phase(struct firefox *firefox, const struct marker *marker)
{
	putc(marker->interval ? INTERVAL : INSTANT, firefox->file);
}

static void write_category(struct firefox *firefox, const struct marker *marker)
{
	timed_write_number(firefox->file, marker->wait ? FIREFOX_OFF_CPU : FIREFOX_OTHER);
}

/* Returns the number of rows. */
static size_t write_column(struct firefox *firefox, uint32_t track, const char *key,
			   void (*write)(struct firefox *, const struct marker *))
{
	struct walk walk = walk_of(firefox, track);
	struct marker marker;
	size_t rows = 0;

	fprintf(firefox->file, "\"%s\":[", key);
	for (; next_marker(&walk, &marker); rows++) {
		fputs(rows ? "," : "", firefox->file);
		write(firefox, &marker);
	}
	fputs("],\n", firefox->file);
	return rows;
}

void firefox_write_markers(struct firefox *firefox, uint32_t track)
{
	size_t rows;

	fputs("\"markers\":{", firefox->file);
	write_column(firefox, track, "data", write_data);
	write_column(firefox, track, "name", write_name);
	write_column(firefox, track, "startTime", write_start);
	write_column(firefox, track, "endTime", write_end);
	write_column(firefox, track, "phase", write_phase);
	rows = write_column(firefox, track, "category", write_category);
	fprintf(firefox->file, "\"length\":%zu}", rows);
}

void firefox_write_schemas(const struct firefox *firefox)
{
	static const char display[] = "\"display\":[\"marker-chart\",\"marker-table\","
				      "\"timeline-overview\"]";
	static const char details[] = "\"tableLabel\":\"{marker.data.details}\","
				      "\"chartLabel\":\"{marker.data.details}\","
				      "\"fields\":[{\"key\":\"details\",\"label\":\"Details\","
				      "\"format\":\"string\"}]";

	fputs("\"markerSchema\":[\n", firefox->file);
	fprintf(firefox->file, "{\"name\":\"Mark\",%s,%s},\n", display, details);
	fprintf(firefox->file, "{\"name\":\"Labels\",%s,%s},\n", display, details);
	fprintf(firefox->file, "{\"name\":\"OffCPU\",%s,\"fields\":[]}],\n", display);
}

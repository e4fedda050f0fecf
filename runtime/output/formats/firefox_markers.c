/*
 * Markers of a thread: first the marks of the thread, or of its process if it is the first thread
 * of it, then its labels, then its time off the processor.  The page sorts them by time.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/output/formats/firefox_parts.h"

/* The page's numbers for the kinds of markers. */
#define INSTANT	 0
#define INTERVAL 1

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
	uint32_t track;	    /* TIMELINE_NONE: there are none */
	const size_t *mark; /* the next of the track's */
	size_t marks;	    /* how many are left; like the next */
	const struct timed_span *span;
	size_t spans;
	unsigned counter;
	size_t sample;
};

static struct walk walk_of(const struct firefox *firefox, uint32_t track)
{
	struct walk walk = { .firefox = firefox, .track = track };

	if (track == TIMELINE_NONE)
		return walk;
	walk.mark = firefox->marks + firefox->first_mark[track];
	walk.marks = firefox->first_mark[track + 1] - firefox->first_mark[track];
	walk.span = timed_spans_of(firefox->spans, firefox->span_count, track, &walk.spans);
	return walk;
}

/* Returns the track that shows a mark; track_count: there is none.  `leads` has the first track of
 * each process. */
static uint32_t track_of(const uint32_t *leads, const struct timeline_mark *mark)
{
	return mark->track != TIMELINE_NONE ? mark->track : leads[mark->process];
}

static uint32_t *find_leads(const struct timeline *timeline)
{
	uint32_t *leads = calloc((size_t)timeline->process_count + 1, sizeof(*leads));

	for (uint32_t i = 0; leads && i < timeline->process_count; i++)
		leads[i] = timeline->track_count;
	for (uint32_t i = timeline->track_count; leads && i--;)
		leads[timeline->tracks[i].process] = i;
	return leads;
}

/* A counting sort keeps the order of time. */
int firefox_make_marks(struct firefox *firefox)
{
	const struct timeline *timeline = firefox->timed.timeline;
	uint32_t *leads = find_leads(timeline);
	size_t sum = 0;

	firefox->first_mark = calloc((size_t)timeline->track_count + 3, sizeof(size_t));
	firefox->marks = calloc(timeline->mark_count + 1, sizeof(*firefox->marks));
	if (!leads || !firefox->first_mark || !firefox->marks) {
		free(leads);
		return -ENOMEM;
	}
	for (size_t i = 0; i < timeline->mark_count; i++)
		firefox->first_mark[track_of(leads, &timeline->marks[i]) + 2]++;
	for (size_t i = 0; i < (size_t)timeline->track_count + 3; i++)
		firefox->first_mark[i] = sum += firefox->first_mark[i];
	/* Each track now holds its beginning at the next index; filling moves it to its end. */
	for (size_t i = 0; i < timeline->mark_count; i++)
		firefox->marks[firefox->first_mark[track_of(leads, &timeline->marks[i]) + 1]++] = i;
	free(leads);
	return 0;
}

static bool next_mark(struct walk *walk, struct marker *marker)
{
	const struct timeline_mark *mark;

	if (!walk->marks)
		return false;
	walk->marks--;
	mark = &walk->firefox->timed.timeline->marks[*walk->mark++];
	*marker = (struct marker){ .name = timed_mark_name(mark->kind),
				   .from_ns = mark->time_ns,
				   .to_ns = mark->time_ns,
				   .mark = mark };
	return true;
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

static void write_details(struct firefox *firefox, const struct marker *marker)
{
	size_t bytes;
	char *text = timed_spans_details(&firefox->timed, marker->mark, marker->span, &bytes);

	json_bytes(&firefox->json, "details", text ? text : "", text ? bytes : 0);
	free(text);
}

static void write_cause(struct json *json, uint64_t time_ns, uint32_t stack)
{
	json_object(json, "cause");
	timed_write_ms(json_value(json, "time"), time_ns);
	json_uint(json, "stack", stack);
	json_end(json, "}");
}

static void write_data(struct firefox *firefox, const struct marker *marker)
{
	struct json *json = &firefox->json;
	uint32_t stack = marker->wait ? timed_stack_of(&firefox->timed, marker->wait) : TIMED_NONE;

	json_object(json, NULL);
	json_text(json, "type", marker->wait ? "OffCPU" : marker->span ? "Labels" : "Mark");
	if (!marker->wait)
		write_details(firefox, marker);
	if (stack != TIMED_NONE)
		write_cause(json, marker->from_ns, stack);
	json_end(json, "}");
}

static void write_name(struct firefox *firefox, const struct marker *marker)
{
	json_uint(&firefox->json, NULL,
		  firefox_string(firefox, marker->name, strlen(marker->name)));
}

static void write_start(struct firefox *firefox, const struct marker *marker)
{
	timed_write_ms(json_value(&firefox->json, NULL), marker->from_ns);
}

static void write_end(struct firefox *firefox, const struct marker *marker)
{
	if (marker->interval)
		timed_write_ms(json_value(&firefox->json, NULL), marker->to_ns);
	else
		json_null(&firefox->json, NULL);
}

static void write_phase(struct firefox *firefox, const struct marker *marker)
{
	json_uint(&firefox->json, NULL, marker->interval ? INTERVAL : INSTANT);
}

static void write_category(struct firefox *firefox, const struct marker *marker)
{
	json_uint(&firefox->json, NULL, marker->wait ? FIREFOX_OFF_CPU : FIREFOX_OTHER);
}

/* Returns the number of rows. */
static size_t write_column(struct firefox *firefox, uint32_t track, const char *key,
			   void (*write)(struct firefox *, const struct marker *))
{
	struct walk walk = walk_of(firefox, track);
	struct marker marker;
	size_t rows = 0;

	json_array(&firefox->json, key);
	for (; next_marker(&walk, &marker); rows++)
		write(firefox, &marker);
	json_end(&firefox->json, "]");
	json_line(&firefox->json);
	return rows;
}

void firefox_write_markers(struct firefox *firefox, uint32_t track)
{
	size_t rows;

	json_object(&firefox->json, "markers");
	write_column(firefox, track, "data", write_data);
	write_column(firefox, track, "name", write_name);
	write_column(firefox, track, "startTime", write_start);
	write_column(firefox, track, "endTime", write_end);
	write_column(firefox, track, "phase", write_phase);
	rows = write_column(firefox, track, "category", write_category);
	json_uint(&firefox->json, "length", rows);
	json_end(&firefox->json, "}");
}

#define DISPLAY "\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"]"
#define DETAILS                                     \
	"\"tableLabel\":\"{marker.data.details}\"," \
	"\"chartLabel\":\"{marker.data.details}\"," \
	"\"fields\":[{\"key\":\"details\",\"label\":\"Details\",\"format\":\"string\"}]"

void firefox_write_schemas(struct firefox *firefox)
{
	json_line(&firefox->json);
	json_raw(&firefox->json, "\"markerSchema\":[\n"
				 "{\"name\":\"Mark\"," DISPLAY "," DETAILS "},\n"
				 "{\"name\":\"Labels\"," DISPLAY "," DETAILS "},\n"
				 "{\"name\":\"OffCPU\"," DISPLAY ",\"fields\":[]}]");
}

/*
 * This file only makes texts.
 */
#include "runtime/output/page/viewer_notes.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/profile/base/json.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/page/viewer_parts.h"

#define NOTE_BYTES   1024
#define BEFORE_LEAST 100 /* part of the CPU time */

static void write_note(struct json *json, const char *text)
{
	json_line(json);
	json_text(json, NULL, text);
}

static void count_note(struct json *json, uint64_t count, const char *text)
{
	char line[NOTE_BYTES];

	if (!count)
		return;
	snprintf(line, sizeof(line), "%" PRIu64 " sample%s %s", count, count == 1 ? "" : "s", text);
	write_note(json, line);
}

/* Folded stacks do not say how they were sampled. */
static void write_counters(struct json *json, const struct viewer_data *data)
{
	if (!profile_summary(data->profile)->spools)
		return;
	for (unsigned i = 0; i < data->samples.counters; i++) {
		struct notes notes;

		notes_make(&notes, data->profile, data->samples.counter[i], data->weight);
		write_note(json, notes.notes);
	}
}

/* Counters without samples are not on the page, but their lack is said. */
static void write_unknown(struct json *json, const struct viewer_data *data)
{
	char unknown[NOTE_BYTES - 128], line[NOTE_BYTES];

	for (unsigned i = 0; i < profile_counter_count(data->profile); i++) {
		const struct profile_total total = profile_total(data->profile, i);

		if (!lacks_text(&total.lacks, unknown, sizeof(unknown)))
			continue;
		snprintf(line, sizeof(line), "%.*s is %s.", SPOOL_NAME_MAX,
			 profile_counter(data->profile, i)->name, unknown);
		write_note(json, line);
	}
}

/* Every program has a loader: its time is worth a line if it is a part of the whole. */
static void write_before(struct json *json, const struct profile *profile)
{
	const struct profile_summary *summary = profile_summary(profile);
	char before[NOTE_BYTES - 128], line[NOTE_BYTES];

	if (summary->before_ns < summary->cpu_ns / BEFORE_LEAST ||
	    !notes_before(profile, before, sizeof(before)))
		return;
	snprintf(line, sizeof(line), "Not sampled: %s.", before);
	write_note(json, line);
}

void viewer_notes_write(const struct viewer_data *data, struct json *json)
{
	const struct viewer_samples *samples = &data->samples;
	const struct timeline *timeline = samples->timeline;
	char line[NOTE_BYTES];

	write_counters(json, data);
	write_unknown(json, data);
	write_before(json, data->profile);
	if (timeline == &samples->moment)
		write_note(json, "The profile has no times: all samples are at one moment.");
	else if (timeline->partial)
		write_note(json, "A part of the profile has no times: its samples are at the "
				 "beginning.");
	count_note(json, timeline->dropped,
		   "had no place in the timeline and are at the beginning.");
	count_note(json, timeline->thinned,
		   "were joined with others because the timeline was full (FLAMETRAP_TIMELINE): "
		   "sums are exact, stacks in a part of the time are estimates.");
	count_note(json, samples->joined,
		   "were joined with others to keep this page small: sums are exact, stacks in a "
		   "part of the time are estimates. --format html keeps all samples.");
	if (notes_interpreted(data->profile, line, sizeof(line) - 1)) {
		strcat(line, ".");
		write_note(json, line);
	}
}

/* This file only makes texts. */
#include "runtime/profile/merge/notes.h"

#include <stdio.h>
#include <string.h>

#include "runtime/profile/base/number_text.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/spool/spool_settings.h"

#define INTERPRETED_LEAST 20 /* parts: less than one of them is not worth a note */

void notes_command(const struct profile *profile, char *text, size_t bytes)
{
	const struct spool_header *first = profile_first(profile);
	size_t used = 0;
	size_t end;

	text[0] = '\0';
	if (!first)
		return;
	end = sizeof(first->arguments);
	while (end && !first->arguments[end - 1])
		end--;
	for (; used < end && used + 1 < bytes; used++) {
		unsigned char c = (unsigned char)first->arguments[used];

		text[used] = c <= ' ' ? ' ' : c == 0x7f ? '?' : (char)c;
	}
	text[used] = '\0';
	if (!used)
		snprintf(text, bytes, "%s", first->executable);
	if (used < end && bytes > 4)
		memcpy(text + bytes - 4, "...", 4);
}

void notes_engines(unsigned engines, char *text, size_t bytes)
{
	static const char *const names[] = {
		[SPOOL_ENGINE_NONE] = "none",
		[SPOOL_ENGINE_SIGTRAP] = "sigtrap",
		[SPOOL_ENGINE_SIGIO] = "sigio",
		[SPOOL_ENGINE_TIMER] = "timer",
	};
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(engines & 1u << i) || used >= bytes)
			continue;
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? " and " : "",
					 names[i]);
	}
}

bool notes_interpreted(const struct profile *profile, char *text, size_t bytes)
{
	const uint64_t *count = profile_summary(profile)->count;
	uint64_t stateless = count[SPOOL_COUNT_INTERP_NO_STATE];
	uint64_t unmerged = count[SPOOL_COUNT_INTERP_UNMERGED];
	uint64_t all = count[SPOOL_COUNT_INTERP_MERGED] + stateless + unmerged;

	if ((stateless + unmerged) * INTERPRETED_LEAST < all || !all)
		return false;
	snprintf(text, bytes,
		 "%.1f %% of the interpreter's stacks lack the functions of the program: %llu were "
		 "taken while it started or ended, or in a thread that is not its own, and %llu "
		 "have frames that do not fit together",
		 (double)(stateless + unmerged) * 100 / (double)all, (unsigned long long)stateless,
		 (unsigned long long)unmerged);
	return true;
}

bool notes_before(const struct profile *profile, char *text, size_t bytes)
{
	uint64_t before_ns = profile_summary(profile)->before_ns;
	char time[64];

	if (!before_ns)
		return false;
	number_text_duration(before_ns, time, sizeof(time));
	snprintf(
		text, bytes,
		"%s of CPU time before sampling began: the loader's, and what processes did before "
		"exec",
		time);
	return true;
}

/* The period was raised because samples cost too much: see runtime/sample/perf/governor.h. */
static void add_raised(const struct spool_counter *about, char *text, size_t bytes)
{
	size_t used = strlen(text);

	if (!about->frequency_hz)
		snprintf(text + used, bytes - used, ", raised to %llu",
			 (unsigned long long)about->raised);
	else
		snprintf(text + used, bytes - used, ", lowered to %llu Hz",
			 1000000000ULL / about->raised);
}

void notes_rate(const struct profile *profile, unsigned counter, char *text, size_t bytes)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	bool one = about->period == 1;
	const char *unit = about->flags & SPOOL_COUNTER_OFF_CPU ? one ? "switch" : "switches"
			   : about->unit == SPOOL_UNIT_NS	? "ns"
			   : one				? "event"
								: "events";

	if (!(about->flags & SPOOL_COUNTER_SAMPLES))
		snprintf(text, bytes, "counted along with %s",
			 about->leader < profile_counter_count(profile)
				 ? profile_counter(profile, about->leader)->name
				 : "another");
	else if (one)
		snprintf(text, bytes, "every %s", unit);
	else if (about->period)
		snprintf(text, bytes, "every %llu %s", (unsigned long long)about->period, unit);
	else
		snprintf(text, bytes, "%llu Hz", (unsigned long long)about->frequency_hz);
	if (about->raised)
		add_raised(about, text, bytes);
}

/* Returns the samples on which a counter's stacks are based: its own, or those of the counter that
 * it is counted along with. */
static uint64_t samples_of(const struct profile *profile, unsigned counter)
{
	const struct spool_counter *about = profile_counter(profile, counter);

	if (!(about->flags & SPOOL_COUNTER_SAMPLES) &&
	    about->leader < profile_counter_count(profile))
		counter = about->leader;
	return profile_total(profile, counter).samples;
}

bool notes_window(const struct profile *profile, char *text, size_t bytes)
{
	struct profile_window window;

	if (!profile_window(profile, &window))
		return false;
	snprintf(text, bytes, "%.3f s to %.3f s of %.3f s", (double)window.from_ns / 1e9,
		 (double)window.to_ns / 1e9, (double)window.whole_ns / 1e9);
	return true;
}

bool notes_estimated(const struct profile *profile, char *text, size_t bytes)
{
	uint64_t samples = profile_summary(profile)->count[SPOOL_COUNT_SAMPLES];
	struct profile_window window;
	const struct window_cut_loss *loss = &window.loss;
	int used = 0;

	if (!profile_window(profile, &window) || (!loss->joined && !loss->dropped))
		return false;
	if (loss->joined)
		used = snprintf(text, bytes,
				"%llu samples were joined with others, because the timeline was "
				"full or a timer stood for several periods: the standard deviation "
				"of a number is at most %.0f samples (%.1f %%)",
				(unsigned long long)loss->joined, window_cut_deviation(loss),
				samples ? window_cut_deviation(loss) * 100 / (double)samples : 0.);
	if (loss->dropped && (size_t)used < bytes)
		snprintf(text + used, bytes - (size_t)used,
			 "%s%llu samples of the run have no time, and are in no part of it",
			 used ? "; " : "", (unsigned long long)loss->dropped);
	return true;
}

/* What a counter did not see. */
static void add_unknown(const struct profile *profile, unsigned counter, char *text, size_t bytes)
{
	const struct profile_total total = profile_total(profile, counter);
	const char *name = profile_counter(profile, counter)->name;
	size_t used = strlen(text);
	char size[128];

	if (lacks_size(&total.lacks, size, sizeof(size)))
		snprintf(text + used, bytes - used, "; %s unknown for %s", name, size);
}

/* The end of the notes: what was lost in the whole run, or which part of it is shown. */
static void add_rest(const struct profile *profile, char *text, size_t bytes)
{
	const struct profile_summary *summary = profile_summary(profile);
	size_t used = strlen(text);
	char window[96];

	if (notes_window(profile, window, sizeof(window)))
		snprintf(text + used, bytes - used, "; %s", window);
	else
		snprintf(text + used, bytes - used, "; %llu lost",
			 (unsigned long long)summary->lost);
	used = strlen(text);
	if (summary->damaged)
		snprintf(text + used, bytes - used, "; part of the data could not be read");
}

void notes_make(struct notes *notes, const struct profile *profile, unsigned counter,
		enum settings_weight weight)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	const struct profile_summary *summary = profile_summary(profile);
	bool events = spool_settings_weigh_events(about, weight);
	char engines[64];
	char rate[96];
	char command[400];

	notes_command(profile, command, sizeof(command));
	notes_engines(summary->engines, engines, sizeof(engines));
	notes_rate(profile, counter, rate, sizeof(rate));
	snprintf(notes->title, sizeof(notes->title), "%s", command);
	snprintf(notes->notes, sizeof(notes->notes), "%s, %s; %llu samples of %u process%s by %s",
		 about->name, rate, (unsigned long long)samples_of(profile, counter),
		 summary->processes, summary->processes == 1 ? "" : "es", engines);
	add_unknown(profile, counter, notes->notes, sizeof(notes->notes));
	add_rest(profile, notes->notes, sizeof(notes->notes));
	notes->unit = !events ? "samples" : about->unit == SPOOL_UNIT_NS ? "ns" : "events";
}

void notes_wall(struct notes *notes, const struct profile *profile)
{
	const struct profile_summary *summary = profile_summary(profile);

	notes_command(profile, notes->title, sizeof(notes->title));
	snprintf(notes->notes, sizeof(notes->notes),
		 "time of %u thread%s of %u process%s, on and off the processor", summary->threads,
		 summary->threads == 1 ? "" : "s", summary->processes,
		 summary->processes == 1 ? "" : "es");
	for (unsigned i = 0; i < profile_counter_count(profile); i++)
		add_unknown(profile, i, notes->notes, sizeof(notes->notes));
	add_rest(profile, notes->notes, sizeof(notes->notes));
	notes->unit = "ns";
}

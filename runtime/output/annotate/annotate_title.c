/*
 * The lines above a listing.  Names of functions, files and counters may come from hostile files,
 * so each stays on its line.
 */
#include <stdlib.h>

#include "runtime/output/annotate/annotate_listing.h"
#include "runtime/output/annotate/annotate_sites.h"
#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/spool/format.h"

/* How samples of a counter get their addresses, by its flags. */
static const struct {
	uint32_t flag;
	const char *text;
} texts[] = {
	{ SPOOL_COUNTER_OFF_CPU, "the address is that of the call that waited" },
	{ SPOOL_COUNTER_AFTER,
	  "the address is that of the instruction after the one that caused it" },
	{ SPOOL_COUNTER_CLOCK,
	  "a timer interrupts the thread: the address is where it goes on, so the time of a "
	  "slow instruction is at the one after it, or at the one that waits for its result" },
	{ SPOOL_COUNTER_SKIDS,
	  "not precise: the address is some instructions after the one that caused it; "
	  ":pp behind the event's name makes it precise where the processor can" },
	{ SPOOL_COUNTER_SHIFTED, "precise to a constant distance: the address is a fixed number of "
				 "instructions after the one that caused it" },
	{ SPOOL_COUNTER_PRECISE,
	  "precise: the processor tells the instruction that caused it, or the one after it" },
	{ SPOOL_COUNTER_EXACT, "the address is that of the instruction that caused it" },
};

static const char *text_of(uint32_t flags)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (flags & texts[i].flag)
			return texts[i].text;
	return "the spool is of an older flametrap and does not say how exact the address is";
}

const char *annotate_skid_text(const struct spool_counter *counter, uint32_t engine)
{
	const uint32_t by_kind = SPOOL_COUNTER_OFF_CPU | SPOOL_COUNTER_AFTER;

	if (counter->flags & by_kind)
		return text_of(counter->flags & by_kind);
	if (!(counter->flags & SPOOL_COUNTER_SAMPLES))
		return "counted from sample to sample of its group's leader: its weight is where "
		       "the leader's samples are";
	return text_of(engine == SPOOL_ENGINE_TIMER ? SPOOL_COUNTER_CLOCK : counter->flags);
}

static void print_name(const char *before, const char *name, const char *after, FILE *file)
{
	fputs(before, file);
	safe_text_terminal(file, name, SIZE_MAX);
	fputs(after, file);
}

static void print_copy(const struct annotate_copy *copy, FILE *file)
{
	print_name("", copy->name, "", file);
	if (copy->outer)
		print_name(", inlined into ", copy->outer, "", file);
	if (copy->path)
		print_name(", ", copy->path, "", file);
	if (copy->end)
		fprintf(file, ", 0x%llx to 0x%llx", (unsigned long long)copy->start,
			(unsigned long long)copy->end);
	putc_unlocked('\n', file);
}

/* A program is made after its sources, and a script is read when it runs. */
bool *annotate_newer_files(const struct annotate_listing *listing)
{
	const struct annotate_copy *copy = listing->copy;
	bool *newer = calloc(listing->texts.count + 1, sizeof(*newer));
	uint64_t limit = listing->sites->ended_ns;
	uint32_t last = 0;

	if (copy->kind == ANNOTATE_NATIVE)
		limit = copy->path ? annotate_place_changed(copy->path) : 0;
	for (size_t i = 0; newer && limit && i < listing->line_count; i++) {
		uint32_t file = listing->lines[i].file;

		if (file != last)
			newer[file] = annotate_place_changed(
					      string_table_text(&listing->texts, file)) > limit;
		last = file;
	}
	return newer;
}

static void print_newer(const struct annotate_listing *listing, FILE *file)
{
	bool interpreted = listing->copy->kind == ANNOTATE_INTERPRETED;
	bool *newer = annotate_newer_files(listing);

	for (uint32_t i = 1; newer && i <= listing->texts.count; i++)
		if (newer[i])
			print_name(
				"", string_table_text(&listing->texts, i),
				interpreted
					? " was changed after it ran: its lines may have moved\n"
					: " is newer than the program: its lines may have moved\n",
				file);
	free(newer);
}

void annotate_write_title(const struct annotate_listing *listing, const struct profile *profile,
			  const struct annotate_shown *shown, FILE *file)
{
	const struct annotate_copy *copy = listing->copy;
	const struct annotate_sites *sites = listing->sites;

	print_copy(copy, file);
	for (unsigned c = 0; c < sites->counter_count; c++) {
		print_name("", profile_counter(profile, sites->counters[c])->name, "", file);
		fprintf(file, ": %.2f %% of all itself, %.2f %% with what it calls\n",
			maths_percent(copy->sum[c].self, sites->whole[c]),
			maths_percent(copy->sum[c].total, sites->whole[c]));
	}
	if (listing->missing &&
	    (!shown->lines || (copy->kind == ANNOTATE_NATIVE && !copy->symbols)))
		fprintf(file, "%s\n", listing->missing);
	if (copy->symbols && !listing->line_count && !shown->bare)
		fputs("no source lines: no debug information (-g) tells them\n", file);
	if (!shown->bare)
		print_newer(listing, file);
	putc_unlocked('\n', file);
}

void annotate_write_skid(const struct annotate_sites *sites, const struct profile *profile,
			 FILE *file)
{
	const struct spool_header *header = profile_first(profile);

	for (unsigned c = 0; c < sites->counter_count; c++) {
		const struct spool_counter *counter = profile_counter(profile, sites->counters[c]);
		uint32_t engine = header ? header->engine : SPOOL_ENGINE_NONE;

		print_name("", counter->name, ": ", file);
		fprintf(file, "%s\n", annotate_skid_text(counter, engine));
	}
}

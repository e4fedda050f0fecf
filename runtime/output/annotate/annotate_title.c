/*
 * The lines above a listing.  Names of functions, files and counters may come from hostile files,
 * so each stays on its line.
 */
#include <stdlib.h>

#include "runtime/output/annotate/annotate_listing.h"
#include "runtime/output/annotate/annotate_newer.h"
#include "runtime/output/annotate/annotate_skid.h"
#include "runtime/output/annotate/annotate_write.h"
#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/merge/profile.h"

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

/* Tells each source file that may have other lines now. */
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

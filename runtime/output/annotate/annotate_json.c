/*
 * Listings for programs.  Weights are numbers of samples or events, one for each counter, in the
 * order of "counters".  All instructions of a function are written.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/output/annotate/annotate_listing.h"
#include "runtime/output/annotate/annotate_newer.h"
#include "runtime/output/annotate/annotate_skid.h"
#include "runtime/output/annotate/annotate_write.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/merge/profile.h"

static void text(FILE *file, const char *name, const char *value)
{
	fprintf(file, ",\"%s\":", name);
	if (value)
		safe_text_json(file, value, strlen(value));
	else
		fputs("null", file);
}

static void number(FILE *file, const char *name, uint64_t value)
{
	fprintf(file, ",\"%s\":%llu", name, (unsigned long long)value);
}

/* Writes two lists: the weights themselves, and with what was called. */
static void lists(FILE *file, const struct annotate_weight *list, unsigned count)
{
	fputs("\"self\":[", file);
	for (unsigned c = 0; c < count; c++)
		fprintf(file, c ? ",%llu" : "%llu", (unsigned long long)list[c].self);
	fputs("],\"total\":[", file);
	for (unsigned c = 0; c < count; c++)
		fprintf(file, c ? ",%llu" : "%llu", (unsigned long long)list[c].total);
	putc_unlocked(']', file);
}

static void weights(FILE *file, const struct annotate_weight *list, unsigned count)
{
	putc_unlocked(',', file);
	lists(file, list, count);
}

/* Writes what is at no line and at no instruction: with it the weights of rows add up. */
static void write_rest(const struct annotate_listing *listing, FILE *file)
{
	unsigned counters = listing->sites->counter_count;

	fputs(",\n\"no_line\":{", file);
	lists(file, listing->lineless, counters);
	fputs("},\"no_instruction\":{", file);
	lists(file, listing->outside, counters);
	putc_unlocked('}', file);
}

void annotate_write_json_begin(const struct annotate_sites *sites, const struct profile *profile,
			       FILE *file)
{
	const struct spool_header *header = profile_first(profile);

	fputs("{\"counters\":[", file);
	for (unsigned c = 0; c < sites->counter_count; c++) {
		const struct spool_counter *counter = profile_counter(profile, sites->counters[c]);
		bool ns = sites->events[c] && counter->unit == SPOOL_UNIT_NS;

		fputs(c ? ",\n{\"name\":" : "\n{\"name\":", file);
		safe_text_json(file, counter->name, strlen(counter->name));
		text(file, "unit", ns ? "ns" : sites->events[c] ? "events" : "samples");
		number(file, "all", sites->whole[c]);
		text(file, "skid",
		     annotate_skid_text(counter, header ? header->engine : SPOOL_ENGINE_NONE));
		putc_unlocked('}', file);
	}
	fputs("],\n\"functions\":[", file);
}

static void write_row(const struct annotate_listing *listing, size_t index, FILE *file)
{
	const struct annotate_row *row = &listing->rows[index];
	unsigned counters = listing->sites->counter_count;

	fprintf(file, index ? ",\n{\"address\":%llu" : "\n{\"address\":%llu",
		(unsigned long long)row->address);
	if (row->mnemonic) {
		fputs(",\"bytes\":\"", file);
		for (uint32_t i = 0; i < row->bytes; i++)
			fprintf(file, "%02x", row->code[i]);
		putc_unlocked('"', file);
		text(file, "mnemonic", row->mnemonic);
		text(file, "operands", row->operands);
	}
	if (row->symbol)
		text(file, "target", string_table_text(&listing->texts, row->symbol));
	if (row->inlined)
		text(file, "inlined", string_table_text(&listing->texts, row->inlined));
	if (row->line) {
		const struct annotate_line *line = &listing->lines[row->line - 1];

		text(file, "file", string_table_text(&listing->texts, line->file));
		number(file, "line", line->line);
	}
	weights(file, listing->row_weights + index * counters, counters);
	putc_unlocked('}', file);
}

static void write_line(const struct annotate_listing *listing, struct annotate_shown *shown,
		       size_t index, FILE *file)
{
	const struct annotate_line *line = &listing->lines[index];
	const char *path = string_table_text(&listing->texts, line->file);
	unsigned counters = listing->sites->counter_count;
	size_t bytes;
	const char *source = source_text_line(&shown->source, path, line->line, &bytes);

	fputs(index ? ",\n{\"file\":" : "\n{\"file\":", file);
	safe_text_json(file, path, strlen(path));
	number(file, "line", line->line);
	if (source) {
		fputs(",\"text\":", file);
		safe_text_json_lines(file, source, bytes);
	}
	weights(file, listing->line_weights + index * counters, counters);
	putc_unlocked('}', file);
}

/* Writes which source files may have other lines now. */
static void write_newer(const struct annotate_listing *listing, FILE *file)
{
	bool *newer = annotate_newer_files(listing);
	const char *between = "";

	fputs(",\"newer\":[", file);
	for (uint32_t i = 1; newer && i <= listing->texts.count; i++) {
		const char *path = string_table_text(&listing->texts, i);

		if (!newer[i])
			continue;
		fputs(between, file);
		safe_text_json(file, path, strlen(path));
		between = ",";
	}
	putc_unlocked(']', file);
	free(newer);
}

void annotate_write_json(const struct annotate_listing *listing, struct annotate_shown *shown,
			 bool first, FILE *file)
{
	const struct annotate_copy *copy = listing->copy;

	fputs(first ? "\n{\"name\":" : ",\n{\"name\":", file);
	safe_text_json(file, copy->name, strlen(copy->name));
	text(file, "inlined_into", copy->outer);
	text(file, "file", copy->path);
	if (copy->end) {
		number(file, "start", copy->start);
		number(file, "end", copy->end);
	}
	text(file, "missing", listing->missing);
	weights(file, copy->sum, listing->sites->counter_count);
	write_newer(listing, file);
	fputs(",\n\"lines\":[", file);
	for (size_t i = 0; i < listing->line_count; i++)
		write_line(listing, shown, i, file);
	fputs("],\n\"instructions\":[", file);
	for (size_t i = 0; !shown->lines && i < listing->row_count; i++)
		write_row(listing, i, file);
	putc_unlocked(']', file);
	write_rest(listing, file);
	putc_unlocked('}', file);
}

void annotate_write_json_end(FILE *file)
{
	fputs("]}\n", file);
}

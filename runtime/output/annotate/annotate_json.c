/*
 * Listings for programs.  Weights are numbers of samples or events, one for each counter, in the
 * order of "counters".  All instructions of a function are written.
 */
#include <stdlib.h>

#include "runtime/output/annotate/annotate_listing.h"
#include "runtime/profile/base/json.h"
#include "runtime/profile/merge/profile.h"

/* Writes two lists: the weights themselves, and with what was called. */
static void weights(struct json *json, const struct annotate_weight *list, unsigned count)
{
	json_array(json, "self");
	for (unsigned c = 0; c < count; c++)
		json_uint(json, NULL, list[c].self);
	json_end(json, "]");
	json_array(json, "total");
	for (unsigned c = 0; c < count; c++)
		json_uint(json, NULL, list[c].total);
	json_end(json, "]");
}

/* Writes what is at no line and at no instruction: with it the weights of rows add up. */
static void write_rest(const struct annotate_listing *listing, struct json *json)
{
	unsigned counters = listing->sites->counter_count;

	json_line(json);
	json_object(json, "no_line");
	weights(json, listing->lineless, counters);
	json_end(json, "}");
	json_object(json, "no_instruction");
	weights(json, listing->outside, counters);
	json_end(json, "}");
}

void annotate_write_json_begin(const struct annotate_sites *sites, const struct profile *profile,
			       struct json *json)
{
	const struct spool_header *header = profile_first(profile);

	json_object(json, NULL);
	json_array(json, "counters");
	for (unsigned c = 0; c < sites->counter_count; c++) {
		const struct spool_counter *counter = profile_counter(profile, sites->counters[c]);
		bool ns = sites->events[c] && counter->unit == SPOOL_UNIT_NS;

		json_line(json);
		json_record(json, NULL, "name:%s unit:%s all:%lu skid:%s", counter->name,
			    ns		       ? "ns"
			    : sites->events[c] ? "events"
					       : "samples",
			    sites->whole[c],
			    annotate_skid_text(counter,
					       header ? header->engine : SPOOL_ENGINE_NONE));
	}
	json_end(json, "]");
	json_list(json, "functions");
}

static void write_row(const struct annotate_listing *listing, size_t index, struct json *json)
{
	const struct annotate_row *row = &listing->rows[index];
	unsigned counters = listing->sites->counter_count;

	json_row(json);
	json_uint(json, "address", row->address);
	if (row->mnemonic) {
		json_text_begin(json, "bytes");
		for (uint32_t i = 0; i < row->bytes; i++)
			fprintf(json->file, "%02x", row->code[i]);
		json_text_end(json);
		json_members(json, "mnemonic:%s operands:%s", row->mnemonic, row->operands);
	}
	if (row->symbol)
		json_text(json, "target", string_table_text(&listing->texts, row->symbol));
	if (row->inlined)
		json_text(json, "inlined", string_table_text(&listing->texts, row->inlined));
	if (row->line) {
		const struct annotate_line *line = &listing->lines[row->line - 1];

		json_members(json, "file:%s line:%u",
			     string_table_text(&listing->texts, line->file), line->line);
	}
	weights(json, listing->row_weights + index * counters, counters);
	json_end(json, "}");
}

static void write_line(const struct annotate_listing *listing, struct annotate_shown *shown,
		       size_t index, struct json *json)
{
	const struct annotate_line *line = &listing->lines[index];
	const char *path = string_table_text(&listing->texts, line->file);
	unsigned counters = listing->sites->counter_count;
	size_t bytes;
	const char *source = source_text_line(&shown->source, path, line->line, &bytes);

	json_row(json);
	json_members(json, "file:%s line:%u", path, line->line);
	if (source)
		json_lines(json, "text", source, bytes);
	weights(json, listing->line_weights + index * counters, counters);
	json_end(json, "}");
}

static void write_newer(const struct annotate_listing *listing, struct json *json)
{
	bool *newer = annotate_newer_files(listing);

	json_array(json, "newer");
	for (uint32_t i = 1; newer && i <= listing->texts.count; i++)
		if (newer[i])
			json_text(json, NULL, string_table_text(&listing->texts, i));
	json_end(json, "]");
	free(newer);
}

void annotate_write_json(const struct annotate_listing *listing, struct annotate_shown *shown,
			 struct json *json)
{
	const struct annotate_copy *copy = listing->copy;

	json_row(json);
	json_members(json, "name:%s inlined_into:%s file:%s", copy->name, copy->outer, copy->path);
	if (copy->end)
		json_members(json, "start:%lu end:%lu", copy->start, copy->end);
	json_text(json, "missing", listing->missing);
	weights(json, copy->sum, listing->sites->counter_count);
	write_newer(listing, json);
	json_list(json, "lines");
	for (size_t i = 0; i < listing->line_count; i++)
		write_line(listing, shown, i, json);
	json_end(json, "]");
	json_list(json, "instructions");
	for (size_t i = 0; !shown->lines && i < listing->row_count; i++)
		write_row(listing, i, json);
	json_end(json, "]");
	write_rest(listing, json);
	json_end(json, "}");
}

void annotate_write_json_end(struct json *json)
{
	json_end(json, "]}");
	putc_unlocked('\n', json->file);
}

/*
 * The page is for looking around, so it has only functions that matter and a limited number of
 * bytes of text.  Lines are numbered in the order in which samples meet them.  Debug information of
 * large files is not read for instructions, as for the lines of leaves.
 */
#include "runtime/output/page/viewer_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/output/annotate/annotate_listing.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/json.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/user_file.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/locations.h"

#define FILE_MOST      ((size_t)256 << 10) /* bytes of one file */
#define FILES_MOST     ((size_t)2 << 20)   /* of all */
#define FUNCTIONS_MOST 30
#define BYTES_MOST     ((size_t)500 << 10) /* of text of all instructions, about */
#define NEIGHBOURS     4		   /* as many as viewer_source.js shows */
#define ROW_BYTES      16		   /* what each takes beside its text */

static int number_line(struct viewer_lines *lines, const struct string_table *strings,
		       const struct location_line *found, uint32_t *number)
{
	uint32_t *known = map_at(&lines->line_numbers, found->file, found->line);
	const char *path = string_table_text(strings, found->file);
	uint32_t file;

	if (!known)
		return -ENOMEM;
	if (!*known) {
		file = string_table_intern(&lines->files, path, strlen(path));
		if (!file || !grow(&lines->lines, lines->count, sizeof(*lines->lines)))
			return -ENOMEM;
		lines->lines[lines->count++] = (struct viewer_line){ file - 1, found->line };
		*known = lines->count;
	}
	*number = *known;
	return 0;
}

int viewer_lines_make(struct viewer_lines *lines, const struct profile_trees *merge,
		      const struct viewer_samples *samples)
{
	const struct timeline_sample *sample = NULL;
	struct location_line found;
	bool *seen = NULL;
	int err = 0;

	*lines = (struct viewer_lines){ .lines = NULL };
	if (!merge->locations)
		return 0;
	lines->nodes = call_tree_count(merge->locations->calls);
	lines->number = calloc(lines->nodes, sizeof(*lines->number));
	seen = calloc(lines->nodes, sizeof(*seen));
	if (!lines->number || !seen)
		err = -ENOMEM;
	while (!err && (sample = viewer_samples_next(samples, sample))) {
		if (sample->location >= lines->nodes || seen[sample->location])
			continue;
		seen[sample->location] = true;
		if (locations_leaf(merge->locations, sample->location, &found))
			err = number_line(lines, &merge->strings, &found,
					  &lines->number[sample->location]);
	}
	free(seen);
	return err;
}

void viewer_lines_free(struct viewer_lines *lines)
{
	map_free(&lines->line_numbers);
	string_table_free(&lines->files);
	free(lines->number);
	free(lines->lines);
}

uint32_t viewer_lines_number(const struct viewer_lines *lines, uint32_t location)
{
	return location < lines->nodes ? lines->number[location] : 0;
}

uint32_t viewer_lines_find(const struct viewer_lines *lines, const char *path)
{
	for (uint32_t i = 1; i <= lines->files.count; i++)
		if (!strcmp(string_table_text(&lines->files, i), path))
			return i;
	return 0;
}

void viewer_lines_files(const struct viewer_lines *lines, bool texts, struct json *json)
{
	size_t left = FILES_MOST;

	json_list(json, "files");
	for (uint32_t i = 1; i <= lines->files.count; i++) {
		const char *path = string_table_text(&lines->files, i);
		char *text = NULL;
		size_t length = texts && left ? user_file_read(path, FILE_MOST, &text) : 0;

		json_next_line(json);
		json_object(json, NULL);
		json_text(json, "path", path);
		if (length && length <= left) {
			left -= length;
			json_lines(json, "text", text, length);
		}
		free(text);
		json_end(json, "}");
	}
	json_end(json, "]");
}

struct viewer_code {
	const struct profile_trees *merge;
	struct annotate_sites sites;
	struct annotate_listing listings[FUNCTIONS_MOST];
	unsigned count;
	size_t bytes;
	uint32_t rows;	    /* numbers given out */
	struct map numbers; /* {address, mapping} to the number of an instruction */
};

/* What becomes of an instruction. */
enum part {
	PART_LEFT_OUT,
	PART_GAP, /* it stands for all that are left out from here on */
	PART_KEPT,
};

static bool has_samples(const struct annotate_listing *listing, size_t row)
{
	for (unsigned c = 0; c < listing->sites->counter_count; c++)
		if (listing->row_weights[row * listing->sites->counter_count + c].self)
			return true;
	return false;
}

/* The page shows only instructions with samples and their neighbours. */
static bool is_kept(const struct annotate_listing *listing, size_t row)
{
	size_t first = row > NEIGHBOURS ? row - NEIGHBOURS : 0;

	for (size_t i = first; i < listing->row_count && i <= row + NEIGHBOURS; i++)
		if (has_samples(listing, i))
			return true;
	return false;
}

static enum part part_of(const struct annotate_listing *listing, size_t row)
{
	if (is_kept(listing, row))
		return PART_KEPT;
	return !row || is_kept(listing, row - 1) ? PART_GAP : PART_LEFT_OUT;
}

static size_t row_bytes(const struct annotate_listing *listing, const struct annotate_row *row)
{
	size_t symbol = row->symbol ? strlen(string_table_text(&listing->texts, row->symbol)) : 0;

	return ROW_BYTES + strlen(row->mnemonic) + strlen(row->operands) + symbol;
}

static size_t text_bytes(const struct annotate_listing *listing)
{
	size_t bytes = 0;

	for (size_t i = 0; i < listing->row_count; i++)
		if (part_of(listing, i) == PART_KEPT)
			bytes += row_bytes(listing, &listing->rows[i]);
	return bytes;
}

static int number_rows(struct viewer_code *code, const struct annotate_listing *listing)
{
	for (size_t i = 0; i < listing->row_count; i++) {
		enum part part = part_of(listing, i);
		uint32_t *number;

		code->rows += part != PART_LEFT_OUT;
		if (part != PART_KEPT)
			continue;
		number = map_at(&code->numbers, listing->rows[i].address, listing->copy->mapping);
		if (!number)
			return -ENOMEM;
		*number = code->rows;
	}
	return 0;
}

static bool is_small(const struct profile_trees *merge, const char *path)
{
	struct stat st;

	return !stat(path, &st) && (uint64_t)st.st_size <= merge->options.sources;
}

/* Add a function, if it has instructions and there is room.  Returns 0 or -ENOMEM. */
static int add(struct viewer_code *code, const struct annotate_copy *copy)
{
	const struct profile_trees *merge = code->merge;
	const struct annotate_listing_options options = {
		.machine = merge->options.machine ? merge->options.machine : merge->machine,
		.no_lines = !copy->path || !is_small(merge, copy->path),
	};
	struct annotate_listing *listing = &code->listings[code->count];
	int err = annotate_listing_make(listing, &code->sites, copy, &options);
	size_t bytes;

	if (err || listing->missing) {
		annotate_listing_free(listing);
		return err;
	}
	bytes = text_bytes(listing);
	if (code->bytes + bytes > BYTES_MOST) {
		annotate_listing_free(listing);
		return 0;
	}
	code->bytes += bytes;
	code->count++;
	return number_rows(code, listing);
}

static int fill(struct viewer_code *code, const struct profile *profile)
{
	struct annotate_names names;
	int err = annotate_names_find(&names, code->merge->locations, "*", false);

	code->sites.counter_count = profile_counter_count(profile);
	for (unsigned i = 0; i < code->sites.counter_count; i++)
		code->sites.counters[i] = i;
	code->sites.ended_ns = annotate_place_ended(profile);
	if (!err && names.best != NAME_FIT_NONE)
		err = annotate_sites_find(&code->sites, code->merge, &names);
	annotate_names_free(&names);
	for (size_t i = 0; !err && i < code->sites.count && code->count < FUNCTIONS_MOST; i++) {
		const struct annotate_copy *copy = &code->sites.copies[i];

		if (copy->kind == ANNOTATE_NATIVE && copy->end &&
		    annotate_sites_has_own(&code->sites, copy))
			err = add(code, copy);
	}
	return err;
}

int viewer_code_make(struct viewer_code **code, const struct profile *profile)
{
	const struct profile_trees *merge = profile_merge(profile);
	int err;

	*code = NULL;
	if (!merge->locations || profile_summary(profile)->foreign ||
	    !profile_counter_count(profile))
		return 0;
	*code = calloc(1, sizeof(**code));
	if (!*code)
		return -ENOMEM;
	(*code)->merge = merge;
	err = fill(*code, profile);
	if (!err)
		return 0;
	viewer_code_free(*code);
	*code = NULL;
	return err;
}

void viewer_code_free(struct viewer_code *code)
{
	if (!code)
		return;
	for (unsigned i = 0; i < code->count; i++)
		annotate_listing_free(&code->listings[i]);
	annotate_sites_free(&code->sites);
	map_free(&code->numbers);
	free(code);
}

uint32_t viewer_code_number(struct viewer_code *code, uint32_t location)
{
	uint32_t mapping;
	uint64_t address;
	const uint32_t *number;

	if (!code || !code->count ||
	    !annotate_place_find(code->merge->locations, location, &mapping, &address))
		return 0;
	number = map_at(&code->numbers, address, mapping);
	return number ? *number : 0;
}

static void write_row(const struct annotate_listing *listing, const struct annotate_row *row,
		      const struct viewer_lines *lines, struct json *json)
{
	const struct string_table *texts = &listing->texts;
	uint32_t line = 0;

	json_array(json, NULL);
	json_uint(json, NULL, row->address - listing->copy->start);
	json_text_begin(json, NULL);
	json_part(json, row->mnemonic);
	json_part(json, *row->operands ? " " : "");
	json_part(json, row->operands);
	if (row->symbol) {
		json_part(json, " <");
		json_part(json, string_table_text(texts, row->symbol));
		json_part(json, ">");
	}
	json_text_end(json);
	if (row->line)
		line = viewer_lines_find(lines,
					 string_table_text(texts,
							   listing->lines[row->line - 1].file));
	if (line) {
		json_uint(json, NULL, line - 1);
		json_uint(json, NULL, listing->lines[row->line - 1].line);
	}
	json_end(json, "]");
}

static void write_listing(const struct annotate_listing *listing, const struct viewer_lines *lines,
			  struct json *json)
{
	const struct annotate_copy *copy = listing->copy;

	json_object(json, NULL);
	json_text(json, "name", copy->name);
	json_text(json, "path", copy->path);
	json_uint(json, "start", copy->start);
	json_array(json, "rows");
	for (size_t i = 0; i < listing->row_count; i++) {
		enum part part = part_of(listing, i);

		if (part == PART_LEFT_OUT)
			continue;
		if (part == PART_KEPT) {
			write_row(listing, &listing->rows[i], lines, json);
			continue;
		}
		json_array(json, NULL);
		json_uint(json, NULL, listing->rows[i].address - copy->start);
		json_text(json, NULL, "");
		json_end(json, "]");
	}
	json_end(json, "]}");
}

void viewer_code_json(const struct viewer_code *code, const struct viewer_lines *lines,
		      struct json *json)
{
	json_list(json, "code");
	for (unsigned i = 0; code && i < code->count; i++) {
		json_line(json);
		write_listing(&code->listings[i], lines, json);
	}
	json_end(json, "]");
}

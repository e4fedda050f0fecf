/*
 * Lines are numbered in the order in which samples meet them.  The texts of their files are added
 * up to a size, since the page holds them all.
 */
#include "runtime/output/page/viewer_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/json.h"
#include "runtime/profile/base/user_file.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/merge/profile_trees.h"

#define FILE_MOST  ((size_t)256 << 10) /* bytes of one file */
#define FILES_MOST ((size_t)2 << 20)   /* of all */

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

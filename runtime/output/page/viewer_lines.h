/* The source lines of a page: where the leaves of its samples are. */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_LINES_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/profile/base/map.h"
#include "runtime/profile/base/string_table.h"

struct json;
struct profile_trees;
struct viewer_samples;

struct viewer_line {
	uint32_t file; /* number in `files` - 1 */
	uint32_t line;
};

struct viewer_lines {
	uint32_t *number; /* of a line, by node of merge->locations->calls; 0: not known */
	uint32_t nodes;
	struct viewer_line *lines; /* by number - 1 */
	uint32_t count;
	struct string_table files; /* paths */
	struct map line_numbers;   /* {file, line} to its number */
};

/* Returns 0 or -ENOMEM.  Call viewer_lines_free() in both cases. */
int viewer_lines_make(struct viewer_lines *lines, const struct profile_trees *merge,
		      const struct viewer_samples *samples);
void viewer_lines_free(struct viewer_lines *lines);

/* Returns the number of the line of a node of merge->locations->calls; 0: not known. */
uint32_t viewer_lines_number(const struct viewer_lines *lines, uint32_t location);

/* Returns the number of a path in `files`; 0: the page does not have it. */
uint32_t viewer_lines_find(const struct viewer_lines *lines, const char *path);

/* Write the member "files" of the page's JSON object.  `texts`: with the texts of those that can be
 * read here, within limits. */
void viewer_lines_files(const struct viewer_lines *lines, bool texts, struct json *json);

#endif

/* The text of source lines, for listings. */
#ifndef RUNTIME_OUTPUT_ANNOTATE_SOURCE_TEXT_H
#define RUNTIME_OUTPUT_ANNOTATE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/profile/base/string_table.h"

struct source_text_file;

/* The files read so far.  An empty struct is zeroed. */
struct source_text {
	struct string_table paths;
	struct source_text_file *files; /* by number of the path - 1 */
	uint32_t count;
	bool closed; /* the caller's: no file is read */
};

/* Returns the text of a line, counted from 1, with its length without the line feed; NULL if the
 * file cannot be read, is no text or too large, or has fewer lines. */
const char *source_text_line(struct source_text *source, const char *path, uint32_t line,
			     size_t *bytes);

/* Returns the number of lines of a file; 0 if it cannot be read. */
uint32_t source_text_lines(struct source_text *source, const char *path);

void source_text_free(struct source_text *source);

#endif

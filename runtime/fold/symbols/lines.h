/*
 * Names of frames with what debug information adds: a line to each, and frames of inlined
 * functions.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_LINES_H
#define RUNTIME_FOLD_SYMBOLS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines;
struct namer;
struct string_table;

/* Where a frame stands in the source. */
struct lines_origin {
	uint32_t name; /* without line and suffix; a string_table number, as the file is */
	uint32_t file; /* with its directory; 0: unknown */
	uint32_t line;
};

/* Both must outlive the result.  NULL when memory is out.  Free with lines_free. */
struct lines *lines_new(struct namer *namer, struct string_table *strings);
void lines_free(struct lines *lines);

/* The addresses to come are those of the spool that namer_begin was called for.
 * Returns 0 or -ENOMEM. */
int lines_begin(struct lines *lines);

/* Names of the frames of one address, outermost first, valid until the next call; NAMER_OURS may
 * be one.  `inlined`: frames `name_[i]` of functions that were inlined too; `with_lines`: names
 * with the line, "main:main.c:12".  Returns how many; 0 when memory is out. */
size_t lines_find(struct lines *lines, uint64_t pc, uint32_t generation, bool inlined,
		  bool with_lines, const uint32_t **list);

/* What a name that lines_find returned was made of.  False for a name without a line. */
bool lines_origin(const struct lines *lines, const char *name, struct lines_origin *origin);

#endif

/*
 * Names of frames with data from debug information: the source line, and frames for inlined
 * functions.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_LINES_H
#define RUNTIME_PROFILE_SYMBOLS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines;
struct namer;
struct string_table;

/* The source position of a frame; the string table owns the texts. */
struct lines_origin {
	const char *name; /* of the function, without line and suffix */
	const char *file; /* with its directory */
	uint32_t file_number;
	uint32_t line;
};

/* Both arguments must outlive the result.  Returns NULL when memory is out.  Free with
 * lines_free(). */
struct lines *lines_new(struct namer *namer, struct string_table *strings);
void lines_free(struct lines *lines);

/* The next addresses are those of the spool that namer_begin() was called for. */
void lines_begin(struct lines *lines);

/* List the names of the frames of one address, outermost first, valid until the next call.
 * NAMER_OURS may be one of them.  `inlined` adds frames `name_[i]` of inlined functions;
 * `with_lines` adds the line to names: "main:main.c:12".  Returns how many; 0 when memory is
 * out. */
size_t lines_find(struct lines *lines, uint64_t pc, uint32_t generation, bool inlined,
		  bool with_lines, const uint32_t **list);

/* Returns the source position behind a name that lines_find() returned: of an interpreted
 * function's name without a line, the function's first line.  False for other names without a line.
 */
bool lines_origin(struct lines *lines, const char *name, struct lines_origin *origin);

#endif

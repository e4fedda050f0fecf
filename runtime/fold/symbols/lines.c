/*
 * Each address is looked up in the debug information once, and each name is made once.
 */
#include "runtime/fold/symbols/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/base/lists.h"
#include "runtime/fold/base/map.h"
#include "runtime/fold/base/string_table.h"
#include "runtime/fold/symbols/frame_kind.h"
#include "runtime/fold/symbols/namer.h"

#define INLINED "_[i]"

struct lines {
	struct namer *namer;
	struct string_table *strings;
	struct lists addresses; /* of one spool: {pc, generation and options} to names */
	struct lists origins;	/* by name: numbers of the function and the file, line */
};

struct lines *lines_new(struct namer *namer, struct string_table *strings)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (lines)
		*lines = (struct lines){ .namer = namer, .strings = strings };
	return lines;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	lists_free(&lines->addresses);
	lists_free(&lines->origins);
	free(lines);
}

void lines_begin(struct lines *lines)
{
	lists_free(&lines->addresses);
}

/* The first origin of a name stays: names contain a file without its directory. */
static bool remember(struct lines *lines, uint32_t name, const struct namer_frame *frame)
{
	const uint32_t origin[] = { frame->name, frame->file, frame->line };
	const uint32_t *known;

	return lists_find(&lines->origins, name, 0, &known) ||
	       !lists_add(&lines->origins, name, 0, origin, sizeof(origin) / sizeof(origin[0]));
}

/* The suffix that denotes the kind of code stays at the end. */
static uint32_t line_name(struct lines *lines, const struct namer_frame *frame, const char *ending)
{
	const char *function = string_table_text(lines->strings, frame->name);
	const char *file = string_table_text(lines->strings, frame->file);
	const char *slash = strrchr(file, '/');
	size_t bytes;
	char *text;
	uint32_t name;

	frame_kind_of(function, &bytes);
	if (asprintf(&text, "%.*s:%s:%u", (int)bytes, function, slash ? slash + 1 : file,
		     frame->line) < 0)
		return 0;
	name = namer_text(lines->namer, text, *ending ? ending : function + bytes);
	free(text);
	return name && remember(lines, name, frame) ? name : 0;
}

static uint32_t frame_name(struct lines *lines, const struct namer_frame *frame, bool with_lines,
			   const char *ending)
{
	if (frame->name == NAMER_OURS)
		return frame->name;
	if (with_lines && frame->file)
		return line_name(lines, frame, ending);
	if (!*ending)
		return frame->name;
	return namer_text(lines->namer, string_table_text(lines->strings, frame->name), ending);
}

size_t lines_find(struct lines *lines, uint64_t pc, uint32_t generation, bool inlined,
		  bool with_lines, const uint32_t **list)
{
	uint64_t kind = generation | (uint64_t)inlined << 32 | (uint64_t)with_lines << 33;
	size_t count = lists_find(&lines->addresses, pc, kind, list);
	struct namer_frame found[NAMER_FRAMES_MAX];
	uint32_t made[NAMER_FRAMES_MAX];

	if (count)
		return count;
	count = namer_frames(lines->namer, pc, generation, found);
	if (count && !inlined)
		count = 1;
	for (size_t i = 0; i < count; i++) {
		made[i] = frame_name(lines, &found[i], with_lines, i ? INLINED : "");
		if (!made[i])
			return 0;
	}
	if (!count || lists_add(&lines->addresses, pc, kind, made, count))
		return 0;
	return lists_find(&lines->addresses, pc, kind, list);
}

bool lines_origin(struct lines *lines, const char *name, struct lines_origin *origin)
{
	uint32_t number = string_table_intern(lines->strings, name, strlen(name));
	const uint32_t *found;

	if (!number || !lists_find(&lines->origins, number, 0, &found))
		return false;
	*origin = (struct lines_origin){ string_table_text(lines->strings, found[0]),
					 string_table_text(lines->strings, found[1]), found[1],
					 found[2] };
	return true;
}

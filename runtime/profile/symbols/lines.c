/* Each address is looked up in the debug information once, and each name is made once. */
#include "runtime/profile/symbols/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/map.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "runtime/profile/symbols/namer.h"
#include "runtime/spool/format_code.h"

#define INLINED "_[i]"

struct lines {
	struct namer *namer;
	struct string_table *strings;
	struct string_table lists; /* bytes of lists of numbers */
	struct map addresses; /* of one spool: {pc, generation and options} to a list of names */
	struct map origins;   /* name to a list: numbers of the function and the file, line */
	uint32_t found[NAMER_FRAMES_MAX]; /* the names found last */
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
	map_free(&lines->addresses);
	map_free(&lines->origins);
	string_table_free(&lines->lists);
	free(lines);
}

void lines_begin(struct lines *lines)
{
	map_free(&lines->addresses);
}

/* Copies the list of that number; 0: an empty one.  Returns its length. */
static size_t find_list(const struct lines *lines, uint32_t number, uint32_t list[NAMER_FRAMES_MAX])
{
	size_t bytes = string_table_length(&lines->lists, number);

	memcpy(list, string_table_text(&lines->lists, number), bytes);
	return bytes / sizeof(*list);
}

/* Returns a list's number; 0 when memory is out. */
static uint32_t make_list(struct lines *lines, const uint32_t *list, size_t count)
{
	return string_table_intern(&lines->lists, (const char *)list, count * sizeof(*list));
}

/* The first origin of a name stays: names contain a file without its directory. */
static bool remember(struct lines *lines, uint32_t name, const struct namer_frame *frame)
{
	const uint32_t origin[] = { frame->name, frame->file, frame->line };
	uint32_t *known = map_at(&lines->origins, name, 0);

	if (known && !*known)
		*known = make_list(lines, origin, sizeof(origin) / sizeof(origin[0]));
	return known && *known;
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

/* Without lines, the origin of an interpreted function is its first line.  Returns false when
 * memory is out. */
static bool remember_start(struct lines *lines, uint32_t name, const struct namer_frame *frame)
{
	struct namer_frame start = *frame;

	start.line = start.start_line;
	return !start.file || !start.line || remember(lines, name, &start);
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
	uint32_t *known = map_at(&lines->addresses, pc, kind);
	struct namer_frame found[NAMER_FRAMES_MAX];
	uint32_t made[NAMER_FRAMES_MAX];
	size_t count;

	*list = lines->found;
	if (!known || *known)
		return known ? find_list(lines, *known, lines->found) : 0;
	count = namer_frames(lines->namer, pc, generation, found);
	if (count && !inlined)
		count = 1;
	for (size_t i = 0; i < count; i++) {
		made[i] = frame_name(lines, &found[i], with_lines, i ? INLINED : "");
		if (!made[i])
			return 0;
	}
	if (count && !with_lines && spool_code_is(pc) && !remember_start(lines, made[0], &found[0]))
		return 0;
	if (count)
		*known = make_list(lines, made, count);
	return find_list(lines, *known, lines->found);
}

bool lines_origin(struct lines *lines, const char *name, struct lines_origin *origin)
{
	uint32_t number = string_table_intern(lines->strings, name, strlen(name));
	const uint32_t *known = number ? map_at(&lines->origins, number, 0) : NULL;
	uint32_t found[NAMER_FRAMES_MAX];

	if (!known || !find_list(lines, *known, found))
		return false;
	*origin = (struct lines_origin){ string_table_text(lines->strings, found[0]),
					 string_table_text(lines->strings, found[1]), found[1],
					 found[2] };
	return true;
}

/*
 * Numbers: a mapping's is its own; a frame's or stack's is that of struct timed plus 1; a text's is
 * that of the profile's strings.  Each kind has its own numbers.
 */
#include <errno.h>
#include <perfetto.pb-c.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/output/formats/perfetto_parts.h"
#include "runtime/profile/tree/locations.h"

/* Kinds of frames, as the format numbers them. */
enum kind { KIND_UNKNOWN, KIND_NATIVE, KIND_KERNEL, KIND_INTERPRETED, KIND_JIT };

static void put(struct perfetto *perfetto, uint32_t sequence, Perfetto__InternedData *data)
{
	Perfetto__Packet packet;

	perfetto__packet__init(&packet);
	packet.interned_data = data;
	perfetto_put(perfetto, sequence, &packet);
}

static void set_text(Perfetto__InternedString *string, uint64_t iid, char *text, size_t bytes)
{
	perfetto__interned_string__init(string);
	string->iid = iid;
	string->str.data = (uint8_t *)text;
	string->str.len = text ? bytes : 0;
}

/* Addresses of interpreters are those of functions, and no memory. */
static void set_mapping(Perfetto__Mapping *mapping, const struct location_mapping *from,
			uint32_t number, uint64_t *number_of_path)
{
	perfetto__mapping__init(mapping);
	mapping->iid = number;
	mapping->build_id = from->build_id_bytes ? number : 0;
	if (from->start < SPOOL_PC_CODE || from->kernel) {
		mapping->start = from->start;
		mapping->end = from->end;
	}
	mapping->path_string_ids = number_of_path;
	mapping->n_path_string_ids = 1;
}

static void intern_mapping(struct perfetto *perfetto, uint32_t sequence, uint32_t number)
{
	const struct location_mapping *from = &perfetto->timed.locations->mappings[number - 1];
	const char *path = timed_text(&perfetto->timed, from->path);
	uint64_t number_of_path = number;
	Perfetto__InternedData data;
	Perfetto__InternedString string[2];
	Perfetto__InternedString *strings[2] = { &string[0], &string[1] };
	Perfetto__Mapping mapping;
	Perfetto__Mapping *mappings = &mapping;
	size_t length;
	char *safe = perfetto_text(perfetto, path, strlen(path), &length);

	set_text(&string[0], number, safe, length);
	set_text(&string[1], number, (char *)from->build_id, from->build_id_bytes);
	set_mapping(&mapping, from, number, &number_of_path);
	perfetto__interned_data__init(&data);
	data.mapping_paths = &strings[0];
	data.n_mapping_paths = 1;
	data.build_ids = &strings[1];
	data.n_build_ids = from->build_id_bytes ? 1 : 0;
	data.mappings = &mappings;
	data.n_mappings = 1;
	put(perfetto, sequence, &data);
	free(safe);
}

static enum kind kind_of(const struct perfetto *perfetto, const struct timed_frame *frame)
{
	static const enum kind kinds[FRAME_KINDS] = {
		[FRAME_KIND_USER] = KIND_NATIVE,	[FRAME_KIND_INLINED] = KIND_NATIVE,
		[FRAME_KIND_KERNEL] = KIND_KERNEL,	[FRAME_KIND_JIT] = KIND_JIT,
		[FRAME_KIND_INTERP] = KIND_INTERPRETED,
	};

	if (frame->mapping && perfetto->timed.locations->mappings[frame->mapping - 1].kernel)
		return KIND_KERNEL;
	if (frame->kind == FRAME_KIND_UNKNOWN && frame->mapping)
		return KIND_NATIVE;
	return kinds[frame->kind];
}

static void set_frame(struct perfetto *perfetto, uint32_t index, Perfetto__Frame *frame)
{
	const struct timed_frame *from = &perfetto->timed.frames[index];

	perfetto__frame__init(frame);
	frame->iid = (uint64_t)index + 1;
	frame->function_name_id = from->name;
	frame->mapping_id = from->mapping;
	if (from->mapping && from->address)
		frame->rel_pc =
			from->address - perfetto->timed.locations->mappings[from->mapping - 1].bias;
	frame->source_path_iid = from->file;
	frame->line_number = from->line;
	frame->kind = kind_of(perfetto, from);
}

/* Which texts the sequence has. */
#define KNOWN_NAME 1
#define KNOWN_FILE 2

static void intern_frame(struct perfetto *perfetto, uint32_t sequence, uint32_t index,
			 uint8_t *known)
{
	const struct timed_frame *from = &perfetto->timed.frames[index];
	const char *file = timed_text(&perfetto->timed, from->file);
	Perfetto__InternedData data;
	Perfetto__InternedString string[2];
	Perfetto__InternedString *strings[2] = { &string[0], &string[1] };
	Perfetto__Frame frame;
	Perfetto__Frame *frames = &frame;
	size_t length[2];
	char *safe[2] = { NULL, NULL };

	perfetto__interned_data__init(&data);
	if (!(known[from->name] & KNOWN_NAME)) {
		safe[0] = perfetto_text(perfetto, timed_text(&perfetto->timed, from->name),
					from->name_bytes, &length[0]);
		set_text(&string[0], from->name, safe[0], length[0]);
		data.function_names = &strings[0];
		data.n_function_names = 1;
	}
	if (from->file && !(known[from->file] & KNOWN_FILE)) {
		safe[1] = perfetto_text(perfetto, file, strlen(file), &length[1]);
		set_text(&string[1], from->file, safe[1], length[1]);
		data.source_paths = &strings[1];
		data.n_source_paths = 1;
	}
	known[from->name] |= KNOWN_NAME;
	known[from->file] |= KNOWN_FILE;
	set_frame(perfetto, index, &frame);
	data.frames = &frames;
	data.n_frames = 1;
	put(perfetto, sequence, &data);
	free(safe[0]);
	free(safe[1]);
}

void perfetto_intern(struct perfetto *perfetto, uint32_t sequence)
{
	uint8_t *known = calloc((size_t)perfetto->timed.strings->count + 1, 1);

	if (!known) {
		perfetto->err = -ENOMEM;
		return;
	}
	for (uint32_t i = 1; i <= perfetto->timed.locations->mapping_count; i++)
		intern_mapping(perfetto, sequence, i);
	for (uint32_t i = 0; i < perfetto->timed.frame_count; i++)
		intern_frame(perfetto, sequence, i, known);
	free(known);
}

static size_t depth_of(const struct timed *timed, uint32_t stack)
{
	size_t depth = 0;

	for (; stack != TIMED_NONE; stack = timed->stacks[stack].caller)
		depth++;
	return depth;
}

void perfetto_callstack(struct perfetto *perfetto, uint32_t stack, Perfetto__Callstack *callstack)
{
	const struct timed *timed = &perfetto->timed;
	size_t depth = depth_of(timed, stack);

	perfetto__callstack__init(callstack);
	callstack->iid = (uint64_t)stack + 1;
	if (depth > perfetto->room) {
		free(perfetto->frames);
		perfetto->frames = calloc(depth, 2 * sizeof(*perfetto->frames));
		perfetto->room = perfetto->frames ? 2 * depth : 0;
	}
	if (!perfetto->frames) {
		perfetto->err = -ENOMEM;
		return;
	}
	callstack->frame_ids = perfetto->frames;
	callstack->n_frame_ids = depth;
	for (; stack != TIMED_NONE; stack = timed->stacks[stack].caller)
		perfetto->frames[--depth] = (uint64_t)timed->stacks[stack].frame + 1;
}

/*
 * Stacks and frames have the numbers of struct timed.  A function is a name in a file of code, with
 * its source.  Every mapping is a library, and a resource with the same index.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/output/formats/firefox_parts.h"
#include "runtime/profile/tree/locations.h"

#define RESOURCE_LIBRARY 1 /* the page's number for this kind of resource */
#define DEBUG_ID_BYTES	 16

static const struct timed_frame *frame_at(const struct firefox *firefox, uint32_t index)
{
	return &firefox->timed.frames[index];
}

/* Returns the number of a function that may be new, plus 1; 0 when memory is out. */
static uint32_t add_function(struct firefox *firefox, const struct timed_frame *frame,
			     struct map *numbers)
{
	struct firefox_function made = { .mapping = frame->mapping,
					 .start_line = frame->start_line };
	const char *file = timed_text(&firefox->timed, frame->file);
	uint32_t *number;

	made.name = firefox_string(firefox, timed_text(&firefox->timed, frame->name),
				   frame->name_bytes);
	if (frame->file)
		made.source = string_table_intern(&firefox->sources, file, strlen(file));
	number = map_at(numbers, (uint64_t)made.mapping << 32 | made.name, made.source);
	if (!number || firefox->err || (frame->file && !made.source))
		return 0;
	if (*number)
		return *number;
	if (!grow(&firefox->functions, firefox->function_count, sizeof(made)))
		return 0;
	firefox->functions[firefox->function_count++] = made;
	return *number = firefox->function_count;
}

int firefox_make_functions(struct firefox *firefox)
{
	uint32_t count = firefox->timed.frame_count;
	struct map numbers = { 0 };
	int err;

	firefox->function_of = calloc((size_t)count + 1, sizeof(*firefox->function_of));
	err = firefox->function_of ? 0 : -ENOMEM;
	for (uint32_t i = 0; !err && i < count; i++) {
		uint32_t number = add_function(firefox, frame_at(firefox, i), &numbers);

		firefox->function_of[i] = number - 1;
		err = number ? 0 : -ENOMEM;
	}
	map_free(&numbers);
	return err;
}

static const struct location_mapping *mapping_at(const struct firefox *firefox, uint32_t number)
{
	return &firefox->timed.locations->mappings[number - 1];
}

static void write_number(struct firefox *firefox, uint64_t value)
{
	json_uint(&firefox->json, NULL, value);
}

static void minus_one(struct firefox *firefox)
{
	json_int(&firefox->json, NULL, -1);
}

static void null(struct firefox *firefox, uint32_t index)
{
	(void)index;
	json_null(&firefox->json, NULL);
}

/* Write a number; null for 0. */
static void write_or_null(struct firefox *firefox, uint32_t value)
{
	if (value)
		write_number(firefox, value);
	else
		null(firefox, value);
}

static void zero(struct firefox *firefox, uint32_t index)
{
	(void)index;
	write_number(firefox, 0);
}

static void no(struct firefox *firefox, uint32_t index)
{
	(void)index;
	json_bool(&firefox->json, NULL, false);
}

static void stack_frame(struct firefox *firefox, uint32_t index)
{
	write_number(firefox, firefox->timed.stacks[index].frame);
}

static void stack_prefix(struct firefox *firefox, uint32_t index)
{
	uint32_t caller = firefox->timed.stacks[index].caller;

	if (caller == TIMED_NONE)
		null(firefox, index);
	else
		write_number(firefox, caller);
}

/* Relative to the library: the addresses that its symbols have. */
static void frame_address(struct firefox *firefox, uint32_t index)
{
	const struct timed_frame *frame = frame_at(firefox, index);

	if (frame->address && frame->mapping && !mapping_at(firefox, frame->mapping)->kernel)
		write_number(firefox, frame->address - mapping_at(firefox, frame->mapping)->bias);
	else
		minus_one(firefox);
}

static void frame_inlined(struct firefox *firefox, uint32_t index)
{
	write_number(firefox, frame_at(firefox, index)->inlined);
}

static void frame_category(struct firefox *firefox, uint32_t index)
{
	static const enum firefox_category categories[FRAME_KINDS] = {
		[FRAME_KIND_USER] = FIREFOX_USER,	  [FRAME_KIND_INLINED] = FIREFOX_USER,
		[FRAME_KIND_KERNEL] = FIREFOX_KERNEL,	  [FRAME_KIND_JIT] = FIREFOX_JIT,
		[FRAME_KIND_INTERP] = FIREFOX_INTERP,	  [FRAME_KIND_WAITING] = FIREFOX_OFF_CPU,
		[FRAME_KIND_PREEMPTED] = FIREFOX_OFF_CPU,
	};
	const struct timed_frame *frame = frame_at(firefox, index);
	enum firefox_category category = categories[frame->kind];

	if (frame->mapping && mapping_at(firefox, frame->mapping)->kernel)
		category = FIREFOX_KERNEL;
	else if (frame->kind == FRAME_KIND_UNKNOWN && frame->mapping)
		category = FIREFOX_USER;
	write_number(firefox, category);
}

static void frame_function(struct firefox *firefox, uint32_t index)
{
	write_number(firefox, firefox->function_of[index]);
}

static void frame_line(struct firefox *firefox, uint32_t index)
{
	write_or_null(firefox, frame_at(firefox, index)->line);
}

static void function_name(struct firefox *firefox, uint32_t index)
{
	write_number(firefox, firefox->functions[index].name);
}

static void function_resource(struct firefox *firefox, uint32_t index)
{
	if (firefox->functions[index].mapping)
		write_number(firefox, firefox->functions[index].mapping - 1);
	else
		minus_one(firefox);
}

static void function_source(struct firefox *firefox, uint32_t index)
{
	if (firefox->functions[index].source)
		write_number(firefox, firefox->functions[index].source - 1);
	else
		null(firefox, index);
}

static void function_line(struct firefox *firefox, uint32_t index)
{
	write_or_null(firefox, firefox->functions[index].start_line);
}

static void resource_lib(struct firefox *firefox, uint32_t index)
{
	write_number(firefox, index);
}

static void resource_type(struct firefox *firefox, uint32_t index)
{
	(void)index;
	write_number(firefox, RESOURCE_LIBRARY);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void resource_name(struct firefox *firefox, uint32_t index)
{
	const char *name =
		base_name(timed_text(&firefox->timed, mapping_at(firefox, index + 1)->path));

	write_number(firefox, firefox_string(firefox, name, strlen(name)));
}

static void source_name(struct firefox *firefox, uint32_t index)
{
	const char *path = string_table_text(&firefox->sources, index + 1);

	write_number(firefox, firefox_string(firefox, path, strlen(path)));
}

struct column {
	const char *key;
	firefox_write_number *write;
};

static void write_table(struct firefox *firefox, const char *key, uint32_t count,
			const struct column *columns)
{
	json_object(&firefox->json, key);
	for (; columns->key; columns++)
		firefox_write_column(firefox, columns->key, count, columns->write);
	json_uint(&firefox->json, "length", count);
	json_end(&firefox->json, "}");
	json_line(&firefox->json);
}

/* Strings come last, when all are known. */
static void write_strings(struct firefox *firefox)
{
	json_array(&firefox->json, "stringArray");
	for (uint32_t i = 1; i <= firefox->strings.count; i++) {
		json_next_line(&firefox->json);
		json_bytes(&firefox->json, NULL, string_table_text(&firefox->strings, i),
			   string_table_length(&firefox->strings, i));
	}
	json_end(&firefox->json, "]");
}

void firefox_write_shared(struct firefox *firefox)
{
	static const struct column stacks[] = { { "frame", stack_frame },
						{ "prefix", stack_prefix },
						{ 0 } };
	static const struct column frames[] = {
		{ "address", frame_address },
		{ "inlineDepth", frame_inlined },
		{ "category", frame_category },
		{ "subcategory", zero },
		{ "func", frame_function },
		{ "nativeSymbol", null },
		{ "innerWindowID", zero },
		{ "line", frame_line },
		{ "column", null },
		{ 0 },
	};
	static const struct column functions[] = {
		{ "name", function_name },     { "isJS", no },
		{ "relevantForJS", no },       { "resource", function_resource },
		{ "source", function_source }, { "lineNumber", function_line },
		{ "columnNumber", null },      { 0 },
	};
	static const struct column resources[] = {
		{ "lib", resource_lib },
		{ "name", resource_name },
		{ "host", null },
		{ "type", resource_type },
		{ 0 },
	};
	static const struct column symbols[] = {
		{ "libIndex", null },
		{ "address", null },
		{ "name", null },
		{ "functionSize", null },
		{ 0 },
	};
	static const struct column sources[] = { { "uuid", null },
						 { "filename", source_name },
						 { 0 } };

	json_object(&firefox->json, "shared");
	json_line(&firefox->json);
	write_table(firefox, "stackTable", firefox->timed.stack_count, stacks);
	write_table(firefox, "frameTable", firefox->timed.frame_count, frames);
	write_table(firefox, "funcTable", firefox->function_count, functions);
	write_table(firefox, "resourceTable", firefox->timed.locations->mapping_count, resources);
	write_table(firefox, "nativeSymbols", 0, symbols);
	write_table(firefox, "sources", firefox->sources.count, sources);
	write_strings(firefox);
	json_end(&firefox->json, "}");
}

static void write_hexadecimal(FILE *file, const char *digits, uint8_t byte)
{
	putc(digits[byte >> 4], file);
	putc(digits[byte & 15], file);
}

/* The first 16 bytes of a build ID as a GUID, whose first three fields are little-endian; and the
 * age, which is 0. */
static void write_debug_id(struct json *json, const struct location_mapping *mapping)
{
	static const uint8_t order[DEBUG_ID_BYTES] = { 3, 2, 1,	 0,  5,	 4,  7,	 6,
						       8, 9, 10, 11, 12, 13, 14, 15 };

	json_text_begin(json, "breakpadId");
	for (unsigned i = 0; mapping->build_id_bytes && i < DEBUG_ID_BYTES; i++)
		write_hexadecimal(json->file, "0123456789ABCDEF", mapping->build_id[order[i]]);
	json_part(json, mapping->build_id_bytes ? "0" : "");
	json_text_end(json);
}

static void write_build_id(struct json *json, const struct location_mapping *mapping)
{
	if (!mapping->build_id_bytes) {
		json_null(json, "codeId");
		return;
	}
	json_text_begin(json, "codeId");
	for (uint32_t i = 0; i < mapping->build_id_bytes; i++)
		write_hexadecimal(json->file, "0123456789abcdef", mapping->build_id[i]);
	json_text_end(json);
}

static void write_library(struct json *json, const char *path,
			  const struct location_mapping *mapping)
{
	json_next_line(json);
	json_object(json, NULL);
	json_text(json, "arch", "");
	json_text(json, "name", base_name(path));
	json_text(json, "path", path);
	json_text(json, "debugName", base_name(path));
	json_text(json, "debugPath", path);
	write_debug_id(json, mapping);
	write_build_id(json, mapping);
	json_end(json, "}");
}

void firefox_write_libraries(struct firefox *firefox)
{
	json_list(&firefox->json, "libs");
	for (uint32_t i = 1; i <= firefox->timed.locations->mapping_count; i++) {
		const struct location_mapping *mapping = mapping_at(firefox, i);

		write_library(&firefox->json, timed_text(&firefox->timed, mapping->path), mapping);
	}
	json_end(&firefox->json, "]");
}

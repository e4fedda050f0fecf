/*
 * Stacks and frames have the numbers of struct timed.  A function is a name in a file of code, with
 * its source.  Every mapping is a library, and a resource with the same index.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/output/formats/firefox_parts.h"
#include "runtime/profile/tree/locations.h"

#define RESOURCE_LIBRARY 1 /* the page's number for this kind of resource */
#define DEBUG_ID_BYTES	 16

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
		uint32_t number = add_function(firefox, &firefox->timed.frames[i], &numbers);

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

/* The values of a row by column; those that are no numbers are above all others. */
#define NO_VALUE    UINT64_MAX
#define MINUS_ONE   (UINT64_MAX - 1)
#define FALSE_VALUE (UINT64_MAX - 2)
#define COLUMNS_MAX 9

struct row {
	uint64_t column[COLUMNS_MAX];
};

static void write_value(struct json *json, uint64_t value)
{
	static const char *const words[] = { "null", "-1", "false" };

	if (value >= FALSE_VALUE)
		json_raw(json, words[UINT64_MAX - value]);
	else
		json_uint(json, NULL, value);
}

static struct row stack_row(struct firefox *firefox, uint32_t index)
{
	const struct timed_stack *stack = &firefox->timed.stacks[index];

	return (struct row){ { stack->frame,
			       stack->caller == TIMED_NONE ? NO_VALUE : stack->caller } };
}

static enum firefox_category category_of(const struct timed_frame *frame,
					 const struct location_mapping *mapping)
{
	static const enum firefox_category categories[FRAME_KINDS] = {
		[FRAME_KIND_USER] = FIREFOX_USER,	  [FRAME_KIND_INLINED] = FIREFOX_USER,
		[FRAME_KIND_KERNEL] = FIREFOX_KERNEL,	  [FRAME_KIND_JIT] = FIREFOX_JIT,
		[FRAME_KIND_INTERP] = FIREFOX_INTERP,	  [FRAME_KIND_WAITING] = FIREFOX_OFF_CPU,
		[FRAME_KIND_PREEMPTED] = FIREFOX_OFF_CPU,
	};

	if (mapping && mapping->kernel)
		return FIREFOX_KERNEL;
	return mapping && frame->kind == FRAME_KIND_UNKNOWN ? FIREFOX_USER
							    : categories[frame->kind];
}

/* Addresses are relative to the library, as those of its symbols are. */
static struct row frame_row(struct firefox *firefox, uint32_t index)
{
	const struct timed_frame *frame = &firefox->timed.frames[index];
	const struct location_mapping *mapping =
		frame->mapping ? mapping_at(firefox, frame->mapping) : NULL;
	bool relative = frame->address && mapping && !mapping->kernel;

	return (struct row){ { relative ? frame->address - mapping->bias : MINUS_ONE,
			       frame->inlined, category_of(frame, mapping), 0,
			       firefox->function_of[index], NO_VALUE, 0,
			       frame->line ? frame->line : NO_VALUE, NO_VALUE } };
}

static struct row function_row(struct firefox *firefox, uint32_t index)
{
	const struct firefox_function *of = &firefox->functions[index];

	return (struct row){ { of->name, FALSE_VALUE, FALSE_VALUE,
			       of->mapping ? of->mapping - 1 : MINUS_ONE,
			       of->source ? of->source - 1 : NO_VALUE,
			       of->start_line ? of->start_line : NO_VALUE, NO_VALUE } };
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static struct row resource_row(struct firefox *firefox, uint32_t index)
{
	const char *name =
		base_name(timed_text(&firefox->timed, mapping_at(firefox, index + 1)->path));

	return (struct row){ { index, firefox_string(firefox, name, strlen(name)), NO_VALUE,
			       RESOURCE_LIBRARY } };
}

static struct row source_row(struct firefox *firefox, uint32_t index)
{
	const char *path = string_table_text(&firefox->sources, index + 1);

	return (struct row){ { NO_VALUE, firefox_string(firefox, path, strlen(path)) } };
}

static void write_table(struct firefox *firefox, const char *key, const char *const *columns,
			uint32_t count, struct row (*row)(struct firefox *, uint32_t))
{
	struct json *json = &firefox->json;

	json_object(json, key);
	for (unsigned c = 0; columns[c]; c++) {
		json_array(json, columns[c]);
		for (uint32_t i = 0; i < count; i++)
			write_value(json, row(firefox, i).column[c]);
		json_end(json, "]");
		json_line(json);
	}
	json_uint(json, "length", count);
	json_end(json, "}");
	json_line(json);
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
	static const char *const stacks[] = { "frame", "prefix", NULL };
	static const char *const frames[COLUMNS_MAX + 1] = {
		"address",	"inlineDepth",	 "category", "subcategory", "func",
		"nativeSymbol", "innerWindowID", "line",     "column"
	};
	static const char *const functions[] = { "name",	 "isJS",   "relevantForJS",
						 "resource",	 "source", "lineNumber",
						 "columnNumber", NULL };
	static const char *const resources[] = { "lib", "name", "host", "type", NULL };
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize",
					       NULL };
	static const char *const sources[] = { "uuid", "filename", NULL };

	json_object(&firefox->json, "shared");
	json_line(&firefox->json);
	write_table(firefox, "stackTable", stacks, firefox->timed.stack_count, stack_row);
	write_table(firefox, "frameTable", frames, firefox->timed.frame_count, frame_row);
	write_table(firefox, "funcTable", functions, firefox->function_count, function_row);
	write_table(firefox, "resourceTable", resources, firefox->timed.locations->mapping_count,
		    resource_row);
	write_table(firefox, "nativeSymbols", symbols, 0, NULL);
	write_table(firefox, "sources", sources, firefox->sources.count, source_row);
	write_strings(firefox);
	json_end(&firefox->json, "}");
}

static void write_hexadecimal(FILE *file, const char *digits, uint8_t byte)
{
	putc(digits[byte >> 4], file);
	putc(digits[byte & 15], file);
}

/* The first 16 bytes of a build ID as a GUID (first three fields little-endian), and the age, 0. */
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
	json_members(json, "arch:%s name:%s path:%s debugName:%s debugPath:%s", "", base_name(path),
		     path, base_name(path), path);
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

/*
 * protobuf-c needs an array of pointers for every repeated message: each table is an array of
 * messages and an array of pointers into it.
 */
#include "runtime/output/formats/pprof_tables.h"

#include <errno.h>
#include <pprof.pb-c.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/map.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/symbols/frame_kind.h"

void *pprof_tables_take(struct pprof_tables *tables, size_t count, size_t bytes)
{
	void *block;

	if (tables->blocks == sizeof(tables->block) / sizeof(tables->block[0]))
		return NULL;
	block = calloc(count ? count : 1, bytes);
	if (block)
		tables->block[tables->blocks++] = block;
	return block;
}

void pprof_tables_free(struct pprof_tables *tables)
{
	for (unsigned i = 0; i < tables->blocks; i++)
		free(tables->block[i]);
	string_table_free(&tables->strings);
}

#define OWNER_LABELS 4 /* besides those of the program */

static bool is_plain(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return true;
}

int64_t pprof_tables_string(struct pprof_tables *tables, const char *text, size_t bytes)
{
	uint32_t number;
	size_t length;
	char *safe;

	if (!bytes)
		return 0;
	if (is_plain(text, bytes))
		return string_table_intern(&tables->strings, text, bytes);
	safe = safe_text_copy(text, bytes, &length);
	number = safe ? string_table_intern(&tables->strings, safe, length) : 0;
	free(safe);
	return number;
}

static int64_t string(struct pprof_tables *tables, const char *text)
{
	return pprof_tables_string(tables, text, strlen(text));
}

static int64_t hexadecimal(struct pprof_tables *tables, const uint8_t *bytes, size_t length)
{
	char text[2 * SPOOL_BUILD_ID_MAX + 1] = "";

	for (size_t i = 0; i < length; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return string(tables, text);
}

static int make_mappings(struct pprof_tables *tables, const struct locations *locations,
			 Pprof__Profile *message)
{
	uint32_t count = locations->mapping_count;
	Pprof__Mapping *mapping = pprof_tables_take(tables, count, sizeof(*mapping));

	message->mapping = pprof_tables_take(tables, count, sizeof(Pprof__Mapping *));
	if (!mapping || !message->mapping)
		return -ENOMEM;
	message->n_mapping = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct location_mapping *from = &locations->mappings[i];

		pprof__mapping__init(&mapping[i]);
		mapping[i].id = i + 1;
		mapping[i].memory_start = from->start;
		mapping[i].memory_limit = from->end;
		mapping[i].filename =
			string(tables, string_table_text(locations->strings, from->path));
		mapping[i].build_id = hexadecimal(tables, from->build_id, from->build_id_bytes);
		/* Otherwise pprof looks for names itself; it should do so if we found none. */
		mapping[i].has_functions = from->named;
		mapping[i].has_filenames = from->lined;
		mapping[i].has_line_numbers = from->lined;
		mapping[i].has_inline_frames = from->inlined;
		message->mapping[i] = &mapping[i];
	}
	return 0;
}

/* Functions and the lines that refer to them, while locations are made. */
struct locating {
	struct pprof_tables *tables;
	const struct locations *locations;
	Pprof__Profile *message;
	struct map *numbers; /* {name, file} to the function's number */
	Pprof__Function *function;
	Pprof__Line *line;
	Pprof__Line **lines;
	size_t used; /* number of used elements of line and lines */
};

/* The mapping shows the kind of code, so the name needs no suffix.  An interpreted function has it
 * in its system name: pprof would take `<main>`, where both are the same, for C++. */
static void make_function(struct locating *at, const struct location_line *line,
			  Pprof__Function *function)
{
	const char *text = string_table_text(at->locations->strings, line->name);
	const char *symbol = locations_symbol(at->locations, line->name);
	enum frame_kind kind;
	size_t bytes;

	pprof__function__init(function);
	kind = frame_kind_of(text, &bytes);
	function->name = pprof_tables_string(at->tables, text, bytes);
	function->system_name = symbol == text && kind != FRAME_KIND_INTERP
					? function->name
					: string(at->tables, symbol);
	function->filename =
		string(at->tables, string_table_text(at->locations->strings, line->file));
	function->start_line = line->start_line;
}

static int make_line(struct locating *at, const struct location_line *from)
{
	Pprof__Line *line = &at->line[at->used];
	uint32_t *number = map_at(at->numbers, from->name, from->file);

	if (!number)
		return -ENOMEM;
	if (!*number) {
		Pprof__Function *made = &at->function[at->message->n_function];

		make_function(at, from, made);
		at->message->function[at->message->n_function++] = made;
		made->id = *number = (uint32_t)at->message->n_function;
	}
	pprof__line__init(line);
	line->function_id = *number;
	line->line = from->line;
	at->lines[at->used++] = line;
	return 0;
}

static int make_location(struct locating *at, uint32_t number, Pprof__Location *location)
{
	struct location from = locations_get(at->locations, number);
	struct location_line list[LOCATIONS_LINES_MAX];
	size_t count = locations_functions(at->locations, &from, list);

	pprof__location__init(location);
	location->id = number;
	location->mapping_id = from.mapping;
	location->address = from.address;
	location->n_line = count;
	location->line = &at->lines[at->used];
	for (size_t i = 0; i < count; i++)
		if (make_line(at, &list[i]))
			return -ENOMEM;
	at->message->location[number - 1] = location;
	return 0;
}

static size_t count_lines(const struct locations *locations)
{
	struct location_line list[LOCATIONS_LINES_MAX];
	size_t count = 0;

	for (uint32_t i = 1; i <= locations->table.count; i++) {
		struct location from = locations_get(locations, i);

		count += locations_functions(locations, &from, list);
	}
	return count;
}

static int make_locations(struct pprof_tables *tables, const struct locations *locations,
			  Pprof__Profile *message, struct map *functions)
{
	uint32_t count = locations->table.count;
	size_t lines = count_lines(locations);
	Pprof__Location *location = pprof_tables_take(tables, count, sizeof(*location));
	struct locating at = {
		.tables = tables, .locations = locations, .message = message, .numbers = functions
	};

	at.function = pprof_tables_take(tables, lines, sizeof(*at.function));
	at.line = pprof_tables_take(tables, lines, sizeof(*at.line));
	at.lines = pprof_tables_take(tables, lines, sizeof(Pprof__Line *));
	message->function = pprof_tables_take(tables, lines, sizeof(Pprof__Function *));
	message->location = pprof_tables_take(tables, count, sizeof(Pprof__Location *));
	if (!location || !at.function || !at.line || !at.lines || !message->function ||
	    !message->location)
		return -ENOMEM;
	message->n_location = count;
	for (uint32_t i = 0; i < count; i++)
		if (make_location(&at, i + 1, &location[i]))
			return -ENOMEM;
	return 0;
}

/* What is filled in for the labels of owners. */
struct labelling {
	struct pprof_tables *tables;
	const struct locations *locations;
	Pprof__Label *next;
	size_t used;
};

static void add_label(struct labelling *at, int64_t key, int64_t text, int64_t number)
{
	if (!text && !number)
		return;
	pprof__label__init(at->next);
	at->next->key = key;
	at->next->str = text;
	at->next->num = number;
	at->tables->labels[at->used++] = at->next++;
}

static int64_t text_of(const struct labelling *at, uint32_t number)
{
	return pprof_tables_string(at->tables, string_table_text(at->locations->strings, number),
				   string_table_length(at->locations->strings, number));
}

static void add_own_labels(struct labelling *at, uint32_t labels)
{
	struct location_label list[LOCATIONS_LABELS_MAX];
	size_t count = locations_labels(at->locations, labels, list);

	for (size_t i = 0; i < count; i++)
		add_label(at, text_of(at, list[i].key), text_of(at, list[i].value), 0);
}

/* Returns the most labels that all owners have together. */
static size_t most_labels(const struct locations *locations)
{
	struct location_label list[LOCATIONS_LABELS_MAX];
	size_t most = 0;

	for (uint32_t i = 0; i < locations->owners.count; i++)
		most += OWNER_LABELS +
			locations_labels(locations, locations_owner(locations, i + 1).labels, list);
	return most;
}

static int make_labels(struct pprof_tables *tables, const struct locations *locations)
{
	uint32_t count = locations->owners.count;
	size_t most = most_labels(locations);
	struct labelling at = { tables, locations,
				pprof_tables_take(tables, most, sizeof(*at.next)), 0 };
	const int64_t thread = string(tables, "thread"), command = string(tables, "command"),
		      pid = string(tables, "pid"), id = string(tables, "thread_id");

	tables->labels = pprof_tables_take(tables, most, sizeof(Pprof__Label *));
	tables->first_label =
		pprof_tables_take(tables, (size_t)count + 1, sizeof(*tables->first_label));
	if (!at.next || !tables->labels || !tables->first_label)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct location_owner owner = locations_owner(locations, i + 1);

		tables->first_label[i] = at.used;
		add_label(&at, thread, text_of(&at, owner.thread), 0);
		add_label(&at, command, text_of(&at, owner.command), 0);
		add_label(&at, pid, 0, owner.pid);
		add_label(&at, id, 0, owner.tid);
		add_own_labels(&at, owner.labels);
	}
	tables->first_label[count] = at.used;
	return 0;
}

int pprof_tables_make(struct pprof_tables *tables, const struct locations *locations,
		      Pprof__Profile *message)
{
	struct map functions = { 0 };
	int err;

	*tables = (struct pprof_tables){ 0 };
	err = make_mappings(tables, locations, message);
	if (!err)
		err = make_locations(tables, locations, message, &functions);
	if (!err)
		err = make_labels(tables, locations);
	map_free(&functions);
	return err;
}

int pprof_tables_strings(struct pprof_tables *tables, Pprof__Profile *message)
{
	uint32_t count = tables->strings.count;

	message->string_table = pprof_tables_take(tables, (size_t)count + 1, sizeof(char *));
	if (!message->string_table)
		return -ENOMEM;
	message->n_string_table = (size_t)count + 1;
	for (uint32_t i = 0; i <= count; i++) /* number 0 is not used, and its text is empty */
		message->string_table[i] = (char *)string_table_text(&tables->strings, i);
	return 0;
}

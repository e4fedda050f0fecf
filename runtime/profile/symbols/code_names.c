/*
 * The texts of the spool become names by the rules of their language.  A line comes from the table
 * that the compiler made: CPython's tables run through the bytes of the code and say how the line
 * changes.  Each version has a file that describes its format: Objects/lnotab_notes.txt (3.9,
 * 3.10), Objects/locations.md (3.11 on).
 */
#include "runtime/profile/symbols/code_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/languages/languages.h"
#include "runtime/profile/spool/spool_read.h"

#define TEXT_MAX      4096 /* bytes of a text that become part of a name */
#define UNKNOWN	      "[unknown]"
#define NAMELESS      "[nameless function]"
#define NO_LINE_DELTA (-128) /* 3.10: the bytes have no line */
#define UNIT_BYTES    2	     /* 3.11: lengths count units of code */

/* The codes of an entry of 3.11; those below have the line of the entry before. */
enum { ONE_LINE_FIRST = 10, ONE_LINE_LAST = 12, NO_COLUMNS = 13, LONG = 14, NO_LOCATION = 15 };

struct table {
	const unsigned char *next, *end;
};

static int signed_byte(unsigned char byte)
{
	return byte < 0x80 ? byte : byte - 0x100;
}

/* 3.9: pairs of a step in the code and a step of the line, which holds from there on. */
static int64_t find_lnotab(struct table table, int64_t line, uint32_t place)
{
	uint64_t at = 0;

	for (; table.end - table.next >= 2; table.next += 2) {
		at += table.next[0];
		if (at > place)
			break;
		line += signed_byte(table.next[1]);
	}
	return line;
}

/* 3.10: pairs of a length in the code and a step of the line, which is taken first. */
static int64_t find_pep626(struct table table, int64_t line, uint32_t place)
{
	uint64_t end = 0;

	for (; table.end - table.next >= 2; table.next += 2) {
		int delta = signed_byte(table.next[1]);

		end += table.next[0];
		if (delta != NO_LINE_DELTA)
			line += delta;
		if (end > place)
			return delta == NO_LINE_DELTA ? 0 : line;
	}
	return 0;
}

/* Six bits a byte, the lowest first; the bit above says that more follow.  The sign is the lowest
 * bit. */
static int64_t take_signed(struct table *table)
{
	uint64_t value = 0;
	bool more = true;

	for (unsigned shift = 0; more && table->next < table->end; shift += 6) {
		if (shift < 30)
			value |= (uint64_t)(*table->next & 0x3f) << shift;
		more = *table->next++ & 0x40;
	}
	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* 3.11: entries of a byte with a code and a length, and a location.  Only the first byte has its
 * highest bit set. */
static int64_t find_pep657(struct table table, int64_t line, uint32_t place)
{
	uint64_t end = 0;

	while (table.next < table.end) {
		unsigned first = *table.next++;
		unsigned code = first >> 3 & 15;

		end += UNIT_BYTES * ((first & 7) + 1);
		if (code >= ONE_LINE_FIRST && code <= ONE_LINE_LAST)
			line += code - ONE_LINE_FIRST;
		else if (code == NO_COLUMNS || code == LONG)
			line += take_signed(&table);
		if (end > place)
			return code == NO_LOCATION ? 0 : line;
		while (table.next < table.end && !(*table.next & 0x80))
			table.next++;
	}
	return 0;
}

uint32_t code_names_line(const struct spool_code *code, const char *table, size_t bytes,
			 uint32_t place)
{
	const unsigned char *start = (const unsigned char *)table;
	const struct table all = { start, start + bytes };
	int64_t line = 0;

	switch (code->lines) {
	case SPOOL_LINES_PLACE:
		line = place;
		break;
	case SPOOL_LINES_LNOTAB:
		line = find_lnotab(all, code->first_line, place);
		break;
	case SPOOL_LINES_PEP626:
		line = find_pep626(all, code->first_line, place);
		break;
	case SPOOL_LINES_PEP657:
		line = find_pep657(all, code->first_line, place);
		break;
	default:
		break;
	}
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : code->first_line;
}

/* Returns NULL for a function that the spool does not have. */
static const struct spool_code *find_code(const struct spool_read *spool, uint64_t pc)
{
	uint32_t number = spool_code_of(pc);

	return spool_code_is(pc) && number && number <= spool->code_count
		       ? &spool->codes[number - 1]
		       : NULL;
}

static struct part part_of(const struct spool_read *spool, const struct spool_text *text)
{
	struct part part = { "", 0 };

	if (!text->bytes)
		return part;
	part.text = spool->texts + text->at;
	part.bytes = strnlen(part.text, text->bytes < TEXT_MAX ? text->bytes : TEXT_MAX);
	return part;
}

static char *join(struct part first, const char *between, struct part second)
{
	char *text;

	return asprintf(&text, "%.*s%s%.*s", (int)first.bytes, first.text, between,
			(int)second.bytes, second.text) < 0
		       ? NULL
		       : text;
}

/* Returns whether the name is that of a script's own lines, which are no function. */
static bool is_script(const struct language *language, struct part name)
{
	for (const char *const *script = language->scripts; script && *script; script++)
		if (part_is(name, *script))
			return true;
	return false;
}

static const struct language *language_of(const struct spool_code *code)
{
	static const struct language unknown = { 0 };
	const struct language *language = languages_find(code->language);

	return language ? language : &unknown;
}

static char *in_module(const struct language *language, struct part name, struct part path)
{
	char *module = language->module(path), *text;

	if (!module || !*module) {
		free(module);
		return module ? strndup(name.text, name.bytes) : NULL;
	}
	text = join((struct part){ module, strlen(module) }, ".", name);
	free(module);
	return text;
}

static char *function_of(const struct spool_read *spool, const struct spool_code *code)
{
	const struct language *language = language_of(code);
	struct part name = part_of(spool, &code->name);
	struct part qualified = part_of(spool, &code->qualified);
	struct part path = part_of(spool, &code->file);

	if (language->choose)
		name = language->choose(name, qualified);
	else if (code->qualified.bytes)
		name = qualified;
	if (!name.bytes && language->nameless && path.bytes)
		name = (struct part){ language->nameless, strlen(language->nameless) };
	if (!name.bytes)
		name = (struct part){ NAMELESS, strlen(NAMELESS) };
	if (language->module)
		return in_module(language, name, path);
	if (is_script(language, name) && path.bytes)
		return join(name, " ", part_base(path));
	return strndup(name.text, name.bytes);
}

char *code_names_function(const struct spool_read *spool, uint64_t pc)
{
	const struct spool_code *code = find_code(spool, pc);

	return code ? function_of(spool, code) : strdup(UNKNOWN);
}

char *code_names_module(const struct spool_read *spool, uint64_t pc)
{
	const struct spool_code *code = find_code(spool, pc);
	const struct language *language;
	struct part path = { 0 }, base;

	if (code)
		path = part_of(spool, &code->file);
	if (!path.bytes)
		return strdup(UNKNOWN);
	language = language_of(code);
	if (language->module)
		return language->module(path);
	base = part_base(path);
	return strndup(base.text, base.bytes);
}

bool code_names_place(const struct spool_read *spool, uint64_t pc, struct code_names_place *place)
{
	const struct spool_code *code = find_code(spool, pc);
	struct part file = { 0 };

	if (code)
		file = part_of(spool, &code->file);
	if (!file.bytes)
		return false;
	*place = (struct code_names_place){
		.file = file.text,
		.file_bytes = file.bytes,
		.line = code_names_line(code, spool->texts + code->table.at, code->table.bytes,
					spool_code_place(pc)),
		.start_line = code->first_line,
	};
	return place->line > 0;
}

bool code_names_imports(const struct spool_read *spool, uint64_t pc)
{
	const struct spool_code *code = find_code(spool, pc);
	const char *const *importer = code ? language_of(code)->importers : NULL;

	for (; importer && *importer; importer++)
		if (part_is(part_of(spool, &code->file), *importer))
			return true;
	return false;
}

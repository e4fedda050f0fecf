/*
 * The texts of the spool become names by the rules of their language.
 */
#include "runtime/profile/symbols/code_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/languages/languages.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/code_lines.h"

#define TEXT_MAX 4096 /* bytes of a text that become part of a name */
#define UNKNOWN	 "[unknown]"
#define NAMELESS "[nameless function]"

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
		.line = code_lines_find(code, spool->texts + code->table.at, code->table.bytes,
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

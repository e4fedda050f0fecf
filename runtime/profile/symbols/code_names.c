/*
 * A Python file's module follows from its path: below one of the directories that Python imports
 * from, the path is the module's name.  Elsewhere the package's root is not known, and the file's
 * own name is the module's.
 */
#include "runtime/profile/symbols/code_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/code_lines.h"

#define TEXT_MAX 4096 /* bytes of a text that become part of a name */
#define UNKNOWN	 "[unknown]"
#define NAMELESS "[nameless function]"
#define FROZEN	 "<frozen "
#define SCRIPT	 "{main}"

struct part {
	const char *text;
	size_t bytes;
};

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

static bool is(const struct part *part, const char *text)
{
	return part->bytes == strlen(text) && !memcmp(part->text, text, part->bytes);
}

static bool begins(const struct part *part, const char *text)
{
	return part->bytes >= strlen(text) && !memcmp(part->text, text, strlen(text));
}

static bool ends(const struct part *part, const char *text)
{
	size_t bytes = strlen(text);

	return part->bytes > bytes && !memcmp(part->text + part->bytes - bytes, text, bytes);
}

/* Remove an ending, if the part has it and something is left. */
static void cut(struct part *part, const char *ending)
{
	if (ends(part, ending))
		part->bytes -= strlen(ending);
}

/* Take the last component of a path away from it. */
static struct part take_last(struct part *path)
{
	const char *slash = path->bytes ? memrchr(path->text, '/', path->bytes) : NULL;
	size_t before = slash ? (size_t)(slash - path->text) + 1 : 0;
	struct part last = { path->text + before, path->bytes - before };

	path->bytes = slash ? before - 1 : 0;
	return last;
}

/* Returns the last component of a path. */
static struct part base_of(struct part path)
{
	return take_last(&path);
}

/* "python3.11", "python3.13t" */
static bool is_library(const struct part *part)
{
	return begins(part, "python3.") || begins(part, "pypy3.");
}

/* Returns true for a directory, or an archive, that modules are imported from; `above` is the path
 * before it. */
static bool is_root(const struct part *part, struct part above)
{
	static const char *const archives[] = { ".egg", ".zip", ".whl", ".pyz" };
	struct part parent = base_of(above);

	if (is(part, "site-packages") || is(part, "dist-packages") || is(part, "lib-dynload"))
		return true;
	if (is_library(part) && begins(&parent, "lib"))
		return true;
	for (size_t i = 0; i < sizeof(archives) / sizeof(archives[0]); i++)
		if (ends(part, archives[i]))
			return true;
	return false;
}

/* Returns the part of a path behind the last directory that modules are imported from, or an empty
 * one. */
static struct part below_root(struct part path)
{
	struct part above = path, below = { path.text + path.bytes, 0 };

	for (take_last(&above); above.bytes;) {
		size_t end = above.bytes;
		struct part last = take_last(&above);

		if (!is_root(&last, above))
			continue;
		below.text = path.text + end + 1;
		below.bytes = path.bytes - end - 1;
		break;
	}
	return below;
}

/* Returns the part of a path that names its module.  `__init__` and `__main__` mean the directory
 * that they are in. */
static struct part module_path(struct part path)
{
	struct part below = below_root(path), above = path, last;
	bool known = below.bytes > 0;

	if (!known)
		below = take_last(&above);
	cut(&below, ".py");
	cut(&below, ".pyw");
	last = base_of(below);
	if (!known && (is(&last, "__init__") || is(&last, "__main__"))) {
		last = base_of(above);
		if (last.bytes) {
			below.bytes += (size_t)(below.text - last.text);
			below.text = last.text;
		}
	}
	cut(&below, "/__init__");
	return below;
}

/* The module in angle brackets is what Python calls code without a file, such as "<string>". */
static struct part frozen(struct part path)
{
	if (begins(&path, FROZEN) && ends(&path, ">")) {
		path.text += strlen(FROZEN);
		path.bytes -= strlen(FROZEN) + 1;
	}
	return path;
}

static char *python_module(struct part path)
{
	bool real = !begins(&path, "<");
	struct part module = real ? module_path(path) : frozen(path);
	char *text = strndup(module.text, module.bytes);

	for (char *c = text; c && real && *c; c++)
		if (*c == '/')
			*c = '.';
	return text;
}

static char *join(struct part first, const char *between, struct part second)
{
	char *text;

	return asprintf(&text, "%.*s%s%.*s", (int)first.bytes, first.text, between,
			(int)second.bytes, second.text) < 0
		       ? NULL
		       : text;
}

static char *python_function(struct part name, struct part path)
{
	char *module = python_module(path), *text;

	if (!module || !*module) {
		free(module);
		return module ? strndup(name.text, name.bytes) : NULL;
	}
	text = join((struct part){ module, strlen(module) }, ".", name);
	free(module);
	return text;
}

/* A script's own lines are no function: their name says which file they are of. */
static bool is_script(uint32_t language, const struct part *name)
{
	switch (language) {
	case SPOOL_LANGUAGE_PHP:
	case SPOOL_LANGUAGE_PERL:
		return is(name, SCRIPT) || is(name, "{include}") || is(name, "{require}");
	case SPOOL_LANGUAGE_RUBY:
		return is(name, "<main>") || is(name, "<top (required)>");
	default:
		return false;
	}
}

/* Returns the name of a function of Python with its class or function before it, but its own name
 * alone, which is that of tracebacks, where it was given another one than it was defined with
 * (code.replace(co_name=…), as numpy's functions are made). */
static struct part python_name(const struct spool_read *spool, const struct spool_code *code)
{
	struct part name = part_of(spool, &code->name);
	struct part qualified = part_of(spool, &code->qualified);
	size_t before = qualified.bytes - name.bytes;

	if (!qualified.bytes)
		return name;
	if (!name.bytes || qualified.bytes + 4 > SPOOL_CODE_NAME_MAX) /* its end was cut */
		return qualified;
	return qualified.bytes >= name.bytes &&
			       !memcmp(qualified.text + before, name.text, name.bytes) &&
			       (!before || qualified.text[before - 1] == '.')
		       ? qualified
		       : name;
}

static char *function_of(const struct spool_read *spool, const struct spool_code *code)
{
	struct part name = part_of(spool, code->qualified.bytes ? &code->qualified : &code->name);
	struct part path = part_of(spool, &code->file);

	if (code->language == SPOOL_LANGUAGE_PYTHON)
		name = python_name(spool, code);
	if (!name.bytes && code->language == SPOOL_LANGUAGE_PHP && path.bytes)
		name = (struct part){ SCRIPT, strlen(SCRIPT) };
	if (!name.bytes)
		name = (struct part){ NAMELESS, strlen(NAMELESS) };
	if (code->language == SPOOL_LANGUAGE_PYTHON)
		return python_function(name, path);
	if (is_script(code->language, &name) && path.bytes)
		return join(name, " ", base_of(path));
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
	struct part path = { 0 }, base;

	if (code)
		path = part_of(spool, &code->file);
	if (!path.bytes)
		return strdup(UNKNOWN);
	if (code->language == SPOOL_LANGUAGE_PYTHON)
		return python_module(path);
	base = base_of(path);
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
	struct part path;

	if (!code || code->language != SPOOL_LANGUAGE_PYTHON)
		return false;
	path = part_of(spool, &code->file);
	return is(&path, "<frozen importlib._bootstrap>") ||
	       is(&path, "<frozen importlib._bootstrap_external>");
}

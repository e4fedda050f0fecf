/*
 * Names that change because the user says so, or because the command or its script has another
 * name: different names of two builds must not make all their stacks different.
 *
 * The thread that runs main() also has the command's name.  So does the module of its functions
 * without symbols: "[app]" and "app@0x12ab".
 *
 * The script that a command ran is the first function of an interpreter on its stacks; modules that
 * it imports have others before them.  The functions of a Python script have its name
 * ("old.parse_[p]"); of scripts in other languages only the lines outside of functions have it
 * ("{main} old.php_[p]").
 */
#include "runtime/compare/match/match.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/symbols/frame_kind.h"

#define ADDRESS "@0x"

/* Returns a text of two pieces that the match owns; NULL when memory is out. */
static const char *joined(struct match *match, const char *first, size_t bytes, const char *last)
{
	const char *result = NULL;
	char *text;

	if (asprintf(&text, "%.*s%s", (int)bytes, first, last) < 0)
		return NULL;
	result = match_text(match, text, strlen(text));
	free(text);
	return result;
}

static int add_command(struct match *match, const char *old, const char *new_name)
{
	for (size_t i = 0; i < match->command_count; i++)
		if (!strcmp(match->commands[i][RUNS_BEFORE], old))
			return 0;
	if (!grow(&match->commands, match->command_count, sizeof(*match->commands)))
		return -ENOMEM;
	match->commands[match->command_count][RUNS_BEFORE] = old;
	match->commands[match->command_count++][RUNS_AFTER] = new_name;
	return 0;
}

/* A new name of the user's that the side after has is meant as it is; others get the kind of the
 * old one. */
static const char *as_given(struct match *match, const char *new_name, const char *suffix)
{
	size_t bytes;
	int has = match_has(match, MATCH_INNER, RUNS_AFTER, new_name);

	frame_kind_of(new_name, &bytes);
	if (has < 0)
		return NULL;
	return has || new_name[bytes] ? new_name
				      : joined(match, new_name, strlen(new_name), suffix);
}

static const char *given_function(struct match *match, const char *name)
{
	size_t bytes;

	frame_kind_of(name, &bytes);
	for (size_t i = 0; i < match->options.rename_count; i++) {
		const struct runs_rename *rename = &match->options.renames[i];

		if (!strcmp(name, rename->old) ||
		    (strlen(rename->old) == bytes && !memcmp(name, rename->old, bytes)))
			return as_given(match, rename->new_name, name + bytes);
	}
	return name;
}

/* A function's new name is none for a command that the side after has too. */
static const char *given_command(struct match *match, const char *name)
{
	for (size_t i = 0; i < match->options.rename_count; i++) {
		const struct runs_rename *rename = &match->options.renames[i];
		int has;

		if (strcmp(name, rename->old) != 0)
			continue;
		has = match_has(match, MATCH_OUTER, RUNS_AFTER, name);
		if (has)
			return has < 0 ? NULL : name;
		return add_command(match, rename->old, rename->new_name) ? NULL : rename->new_name;
	}
	return name;
}

/* Returns the name of the same code in a module of the new command; `name` if it is not in a module
 * of the old one. */
static const char *in_module(struct match *match, const char *name, const char *const command[2])
{
	const char *old = command[RUNS_BEFORE], *new_name = command[RUNS_AFTER];
	size_t bytes = strlen(old);
	const char *text;

	if (match->options.modules && !strcmp(name, old))
		return new_name;
	if (!strncmp(name, old, bytes) && !strncmp(name + bytes, ADDRESS, strlen(ADDRESS)))
		return joined(match, new_name, strlen(new_name), name + bytes);
	if (name[0] != '[' || strncmp(name + 1, old, bytes) != 0 || name[bytes + 1] != ']')
		return name;
	text = joined(match, "[", 1, new_name);
	return text ? joined(match, text, strlen(text), name + 1 + bytes) : NULL;
}

const char *match_renamed(struct match *match, enum match_role role, const char *name, bool *given)
{
	const char *as =
		role == MATCH_OUTER ? given_command(match, name) : given_function(match, name);
	int has;

	*given = as != name;
	for (size_t i = 0; role == MATCH_INNER && as == name && i < match->command_count; i++)
		as = in_module(match, name, match->commands[i]);
	if (*given || !as || as == name)
		return as;
	has = match_has(match, role, RUNS_AFTER, name);
	return has < 0 ? NULL : has ? name : as;
}

/* The commands of both sides, by what they are compared as. */
struct totals {
	struct string_table names;
	double (*list)[RUNS_SIDES];
	size_t count;
};

static int add_total(struct totals *totals, const struct match_name *name)
{
	uint32_t number = string_table_intern(&totals->names, name->as, strlen(name->as));

	if (!number)
		return -ENOMEM;
	if (number > totals->count) {
		if (!grow(&totals->list, totals->count, sizeof(*totals->list)))
			return -ENOMEM;
		memset(totals->list[totals->count++], 0, sizeof(*totals->list));
	}
	for (int side = 0; side < RUNS_SIDES; side++)
		totals->list[number - 1][side] += name->command[side];
	return 0;
}

/* Returns the largest command that only this side has; NULL if there is none. */
static const char *find_own(const struct totals *totals, enum runs_side side)
{
	enum runs_side other = side == RUNS_BEFORE ? RUNS_AFTER : RUNS_BEFORE;
	size_t largest = totals->count;

	for (size_t i = 0; i < totals->count; i++)
		if (totals->list[i][side] > 0 && !(totals->list[i][other] > 0) &&
		    (largest == totals->count ||
		     totals->list[i][side] > totals->list[largest][side]))
			largest = i;
	return largest < totals->count ? string_table_text(&totals->names, (uint32_t)largest + 1)
				       : NULL;
}

/* Compare all outer frames of that name as the new one. */
static int rename_all(struct match *match, const char *old, const char *new_name)
{
	int err = 0;

	for (size_t i = 0; i < match->count[MATCH_OUTER] && !err; i++) {
		struct match_name *name = &match->list[MATCH_OUTER][i];

		if (strcmp(name->as, old) != 0)
			continue;
		name->as = new_name;
		if (name->command[RUNS_BEFORE] > 0)
			err = match_add_pair(match, MATCH_OUTER, (uint32_t)i + 1, name->name,
					     new_name);
	}
	return err;
}

static int match_largest(struct match *match)
{
	struct totals totals = { .list = NULL };
	const char *old, *new_name;
	int err = 0;

	for (size_t i = 0; i < match->count[MATCH_OUTER] && !err; i++)
		err = add_total(&totals, &match->list[MATCH_OUTER][i]);
	old = find_own(&totals, RUNS_BEFORE);
	new_name = find_own(&totals, RUNS_AFTER);
	if (!err && old && new_name) {
		new_name = match_text(match, new_name, strlen(new_name));
		err = new_name ? rename_all(match, old, new_name) : -ENOMEM;
	}
	string_table_free(&totals.names);
	free(totals.list);
	return err;
}

int match_commands(struct match *match)
{
	int err = match->options.exact ? 0 : match_largest(match);

	for (size_t i = 0; i < match->count[MATCH_OUTER] && !err; i++) {
		const struct match_name *name = &match->list[MATCH_OUTER][i];

		if (name->command[RUNS_BEFORE] > 0 && strcmp(name->name, name->as) != 0)
			err = add_command(match, name->name, name->as);
	}
	return err;
}

/* What is the same in the names of all functions of a script: text at their start or end. */
struct script {
	const char *name; /* of its lines outside of functions */
	uint32_t number;
	const char *text;
	size_t bytes;
	bool at_end;
};

/* Returns whether a name is that of a script's lines outside of functions, and which script. */
static bool is_script(const char *name, struct script *script)
{
	static const char python[] = ".<module>";
	static const char *const others[] = { "{main}", "<main>" };
	const size_t python_bytes = sizeof(python) - 1;
	size_t bytes;

	frame_kind_of(name, &bytes);
	if (bytes > python_bytes && !memcmp(name + bytes - python_bytes, python, python_bytes)) {
		/* with its point, so that it is no other module's beginning */
		*script = (struct script){ .text = name, .bytes = bytes - python_bytes + 1 };
		return true;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		size_t length = strlen(others[i]);

		if (strncmp(name, others[i], length) != 0 || name[length] != ' ')
			continue;
		*script = (struct script){ .text = name + length,
					   .bytes = strlen(name + length),
					   .at_end = true };
		return true;
	}
	return false;
}

static bool find_script(const struct match *match, enum runs_side side, struct script *found)
{
	const struct match_name *list = match->list[MATCH_INNER];
	double most = 0;

	for (size_t i = 0; i < match->count[MATCH_INNER]; i++) {
		struct script script;

		if (!(list[i].script[side] > most) || !is_script(list[i].name, &script))
			continue;
		most = list[i].script[side];
		*found = script;
		found->name = list[i].name;
		found->number = (uint32_t)i + 1;
	}
	return found->text != NULL;
}

static bool is_own(const struct match *match, const struct script *script, enum runs_side side)
{
	const struct match_name *name = &match->list[MATCH_INNER][script->number - 1];

	return !name->runs[side == RUNS_BEFORE ? RUNS_AFTER : RUNS_BEFORE] && !name->given &&
	       !strcmp(name->as, name->name);
}

/* Returns the name of the same function in the other script; `name` if it is in neither; NULL when
 * memory is out. */
static const char *in_script(struct match *match, const char *name, const struct script *old,
			     const struct script *other)
{
	size_t length = strlen(name), rest = length - old->bytes;
	const char *result = NULL;
	char *text;
	int made;

	if (length < old->bytes ||
	    memcmp(old->at_end ? name + rest : name, old->text, old->bytes) != 0)
		return name;
	if (old->at_end)
		made = asprintf(&text, "%.*s%.*s", (int)rest, name, (int)other->bytes, other->text);
	else
		made = asprintf(&text, "%.*s%s", (int)other->bytes, other->text, name + old->bytes);
	if (made < 0)
		return NULL;
	result = match_text(match, text, strlen(text));
	free(text);
	return result;
}

static int rename_functions(struct match *match, const struct script *old,
			    const struct script *other)
{
	for (size_t i = 0; i < match->count[MATCH_INNER]; i++) {
		struct match_name *name = &match->list[MATCH_INNER][i];

		if (!name->interp || name->given || name->runs[RUNS_AFTER] ||
		    strcmp(name->as, name->name) != 0)
			continue;
		name->as = in_script(match, name->name, old, other);
		if (!name->as)
			return -ENOMEM;
	}
	return 0;
}

int match_scripts(struct match *match)
{
	struct script old = { 0 }, other = { 0 };
	int err;

	if (!find_script(match, RUNS_BEFORE, &old) || !find_script(match, RUNS_AFTER, &other) ||
	    old.at_end != other.at_end || !is_own(match, &old, RUNS_BEFORE) ||
	    !is_own(match, &other, RUNS_AFTER))
		return 0;
	err = rename_functions(match, &old, &other);
	return err ? err : match_add_pair(match, MATCH_INNER, old.number, old.name, other.name);
}

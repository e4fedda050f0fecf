/*
 * The script that a command ran is the first function of an interpreter on its stacks; modules that
 * it imports have others before them.
 */
#include "runtime/compare/match/match_scripts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/symbols/frame_kind.h"

/* What is the same in the names of all functions of a script: text at their start or end. */
struct script {
	const char *name; /* of its lines outside of functions */
	uint32_t number;
	const char *text;
	size_t bytes;
	bool at_end;
};

/* Returns whether the name of a function is that of lines outside of functions, and of which
 * script. */
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
	result = match_names_text(match, text, strlen(text));
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
	return err ? err : match_names_tell(match, MATCH_INNER, old.number, old.name, other.name);
}

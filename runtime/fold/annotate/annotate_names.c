/*
 * A name that a report prints always fits as a whole.  People also leave out what is clear to them:
 * parameters, namespaces, arguments of templates, suffixes.  They add parameters that other tools
 * print and profiles do not have; then all overloads are meant.
 */
#include "runtime/fold/annotate/annotate_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text/glob.h"
#include "config/text/text.h"
#include "runtime/fold/profile/locations.h"
#include "runtime/fold/symbols/frame_kind.h"

#define NEAR_MOST 3

/* Returns the length of a name without parameters: up to the first parenthesis that is not part of
 * a template's arguments, nor of "{lambda(int)#1}", nor of "(anonymous namespace)". */
static size_t without_parameters(const char *name, size_t bytes)
{
	int depth = 0;

	for (size_t i = 0; i < bytes; i++) {
		if (name[i] == '<' || name[i] == '{')
			depth++;
		else if ((name[i] == '>' || name[i] == '}') && depth)
			depth--;
		else if (name[i] == '(' && !depth && i && name[i - 1] != ':')
			return i;
	}
	return bytes;
}

/* Returns the length of a name without the arguments of a template at its end: "app::swap" of
 * "app::swap<int>", and of Rust's "app::swap::<u32>". */
static size_t without_arguments(const char *name, size_t bytes)
{
	static const char operator[] = "operator";
	size_t at = bytes, word = strlen(operator);
	int depth = 0;

	if (!bytes || name[bytes - 1] != '>')
		return bytes;
	do {
		at--;
		depth += (name[at] == '>') - (name[at] == '<');
	} while (at && depth);
	if (depth || (at >= word && !memcmp(name + at - word, operator, word)))
		return bytes;
	return at > 2 && !memcmp(name + at - 2, "::", 2) ? at - 2 : at;
}

/* Returns whether the name ends with the given text, at the start of one of its parts. */
static bool ends_with(const char *given, size_t given_bytes, const char *name, size_t bytes)
{
	const char *at = name + bytes - given_bytes;

	if (!given_bytes || given_bytes > bytes || memcmp(at, given, given_bytes) != 0)
		return false;
	return at == name || at[-1] == '.' || (at[-1] == ':' && at - 1 > name);
}

/* Returns whether a part of the name is meant: with its parameters, without them, or without its
 * template's arguments too. */
static bool has_part(const char *given, size_t given_bytes, const char *name, size_t bytes)
{
	size_t plain = without_parameters(name, bytes);

	return ends_with(given, given_bytes, name, bytes) ||
	       ends_with(given, given_bytes, name, plain) ||
	       ends_with(given, given_bytes, name, without_arguments(name, plain));
}

enum annotate_fit annotate_names_fit(const char *given, const char *name)
{
	struct complaint complaint;
	size_t given_bytes, bytes;

	if (!strcmp(given, name))
		return ANNOTATE_FIT_WHOLE;
	frame_kind_of(given, &given_bytes);
	frame_kind_of(name, &bytes);
	if (given_bytes == bytes && !memcmp(given, name, bytes))
		return ANNOTATE_FIT_PLAIN;
	if (!glob_check(given, &complaint) && glob_match(given, name))
		return ANNOTATE_FIT_PATTERN;
	if (has_part(given, given_bytes, name, bytes) ||
	    has_part(given, without_parameters(given, given_bytes), name, bytes))
		return ANNOTATE_FIT_PART;
	return ANNOTATE_FIT_NONE;
}

static void note(struct annotate_names *names, const struct locations *locations, const char *given,
		 uint32_t number)
{
	enum annotate_fit fit;

	if (!number || number >= names->count || names->fit[number])
		return;
	fit = annotate_names_fit(given, string_table_text(locations->strings, number));
	names->fit[number] = (uint8_t)(1 + fit);
	if (fit > names->best)
		names->best = fit;
}

int annotate_names_find(struct annotate_names *names, const struct locations *locations,
			const char *given, bool inlined)
{
	struct location_line list[LOCATIONS_LINES_MAX];

	*names = (struct annotate_names){ .count = locations->strings->count + 1 };
	names->fit = calloc(names->count, 1);
	if (!names->fit)
		return -ENOMEM;
	for (uint32_t i = 1; i <= locations->table.count; i++) {
		struct location at = locations_get(locations, i);
		size_t count = inlined && at.lines ? locations_lines(locations, at.lines, list) : 0;

		note(names, locations, given, at.name);
		for (size_t k = 0; k + 1 < count; k++)
			note(names, locations, given, list[k].name);
	}
	return 0;
}

void annotate_names_free(struct annotate_names *names)
{
	free(names->fit);
	names->fit = NULL;
}

bool annotate_names_has(const struct annotate_names *names, uint32_t number)
{
	return names->best != ANNOTATE_FIT_NONE && number < names->count &&
	       names->fit[number] == 1 + names->best;
}

/* Names that contain the given text are nearer than those with typing errors. */
static unsigned distance(const char *given, const char *name)
{
	size_t length = strlen(given), bytes;
	unsigned edits;

	frame_kind_of(name, &bytes);
	bytes = without_parameters(name, bytes);
	if (length >= 3 && strcasestr(name, given))
		return 0;
	edits = text_distance(given, length, name, bytes);
	return edits <= length / 2 && edits <= 4 ? edits : UINT32_MAX;
}

void annotate_names_near(const struct annotate_names *names, const struct locations *locations,
			 const char *given, char *text, size_t bytes)
{
	uint32_t best[NEAR_MOST] = { 0 };
	unsigned edits[NEAR_MOST] = { UINT32_MAX, UINT32_MAX, UINT32_MAX };
	size_t used = 0;

	for (uint32_t i = 1; i < names->count; i++) {
		unsigned far = names->fit[i]
				       ? distance(given, string_table_text(locations->strings, i))
				       : UINT32_MAX;
		size_t place = NEAR_MOST;

		while (place && far < edits[place - 1])
			place--;
		for (size_t k = NEAR_MOST - 1; far != UINT32_MAX && k > place; k--) {
			best[k] = best[k - 1];
			edits[k] = edits[k - 1];
		}
		if (place < NEAR_MOST) {
			best[place] = i;
			edits[place] = far;
		}
	}
	text[0] = '\0';
	for (size_t k = 0; k < NEAR_MOST && best[k] && used < bytes; k++)
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", k ? ", " : "",
					 string_table_text(locations->strings, best[k]));
}

/*
 * A name that a report prints always fits as a whole.  People also leave out what is clear to them:
 * parameters, namespaces, arguments of templates, suffixes.  They add parameters that other tools
 * print and profiles do not have; then all overloads are meant.
 */
#include "runtime/profile/symbols/name_fit.h"

#include <stdbool.h>
#include <string.h>

#include "config/text/glob.h"
#include "runtime/profile/symbols/frame_kind.h"

size_t name_fit_without_parameters(const char *name, size_t bytes)
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
	size_t plain = name_fit_without_parameters(name, bytes);

	return ends_with(given, given_bytes, name, bytes) ||
	       ends_with(given, given_bytes, name, plain) ||
	       ends_with(given, given_bytes, name, without_arguments(name, plain));
}

enum name_fit name_fit(const char *given, const char *name)
{
	struct complaint complaint;
	size_t given_bytes, bytes;

	if (!strcmp(given, name))
		return NAME_FIT_WHOLE;
	frame_kind_of(given, &given_bytes);
	frame_kind_of(name, &bytes);
	if (given_bytes == bytes && !memcmp(given, name, bytes))
		return NAME_FIT_PLAIN;
	if (!glob_check(given, &complaint) && glob_match(given, name))
		return NAME_FIT_PATTERN;
	if (has_part(given, given_bytes, name, bytes) ||
	    has_part(given, name_fit_without_parameters(given, given_bytes), name, bytes))
		return NAME_FIT_PART;
	return NAME_FIT_NONE;
}

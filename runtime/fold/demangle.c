/*
 * Scripts that fold perf's output cut names at the first `(`, because perf prints
 * parameters.  We leave parameters out when demangling instead, so that
 * `(anonymous namespace)`, `operator()` and function types among template arguments stay.
 */
#include "runtime/fold/demangle.h"

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <string.h>

/* Longer ones exist in C++, but print longer than anyone reads. */
#define SYMBOL_MAX_BYTES 16384

/* libiberty prints a D function's parameters whatever is asked: cut the last parentheses,
 * unless they hold the arguments of a template ("f!(int)"). */
static char *drop_parameters(char *name)
{
	size_t at = name ? strlen(name) : 0;
	unsigned depth = 0;

	if (!at || name[at - 1] != ')')
		return name;
	while (at--) {
		depth += name[at] == ')';
		depth -= name[at] == '(';
		if (!depth)
			break;
	}
	if (!depth && at && name[at - 1] != '!')
		name[at] = '\0';
	return name;
}

char *demangle_symbol(const char *symbol)
{
	if (strnlen(symbol, SYMBOL_MAX_BYTES) == SYMBOL_MAX_BYTES)
		return NULL;
	if (symbol[0] == '_' && symbol[1] == 'D')
		return drop_parameters(cplus_demangle(symbol, DMGL_DLANG));
	/* C names never start so; asking anyway would read "f" as the type float. */
	if (symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R' && symbol[1] != '_'))
		return NULL;
	return cplus_demangle(symbol, DMGL_AUTO);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Each link-time unit may have added one. */
static void drop_numbered(char *symbol, const char *ending)
{
	char *at = symbol;
	char *behind;

	while ((at = strstr(at + 1, ending))) {
		behind = at + strlen(ending);
		if (!is_digit(*behind))
			continue;
		while (is_digit(*behind))
			behind++;
		memmove(at, behind, strlen(behind) + 1);
		at--;
	}
}

void demangle_plain(char *symbol)
{
	char *version;

	if (!symbol[0])
		return;
	version = strchr(symbol + 1, '@');
	if (version)
		*version = '\0';
	drop_numbered(symbol, ".lto_priv.");
	drop_numbered(symbol, ".llvm.");
}

/* The count of a folded line is the number behind its last blank. */
static void hide_number(char *name, size_t length)
{
	size_t at = length;

	while (at && (is_digit(name[at - 1]) || name[at - 1] == '.'))
		at--;
	if (at < length && at && name[at - 1] == ' ')
		name[at - 1] = '_';
}

size_t demangle_clean(char *name)
{
	size_t length = strlen(name);
	size_t lead = strspn(name, " ");

	memmove(name, name + lead, length - lead + 1);
	length -= lead;
	while (length && name[length - 1] == ' ')
		name[--length] = '\0';
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c == ';')
			name[i] = ':';
		else if (c < ' ' || c == 0x7f)
			name[i] = '?';
	}
	hide_number(name, length);
	return length;
}

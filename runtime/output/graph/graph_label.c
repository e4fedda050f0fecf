/*
 * Brackets and commas are ASCII, so UTF-8 is copied byte by byte.
 */
#include "runtime/output/graph/graph_label.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/profile/base/safe_text.h"

#define LABEL_BYTES 2048 /* a longer name is only cut */
#define ELLIPSIS    "\xe2\x80\xa6"

/* Returns the length of an operator's name or of an arrow here, whose brackets are no pair; 0 if
 * there is none. */
static size_t operator_at(const char *text, const char *end)
{
	static const char *const signs[] = { "<=>", "<<=", ">>=", "->*", "<<", ">>",
					     "->",  "<=",  ">=",  "()",	 "<",  ">" };
	const char *at = text + strlen("operator");
	size_t left = (size_t)(end - text);

	if (left >= 2 && !memcmp(text, "->", 2))
		return 2;
	if (left < strlen("operator") || memcmp(text, "operator", strlen("operator")) != 0)
		return 0;
	while (at < end && *at == ' ')
		at++;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		size_t length = strlen(signs[i]);

		if ((size_t)(end - at) >= length && !memcmp(at, signs[i], length))
			return (size_t)(at - text) + length;
	}
	return 0;
}

static size_t write_short(char *text, char open, char close)
{
	char *end = mempcpy(text + 1, ELLIPSIS, strlen(ELLIPSIS));

	*text = open;
	*end = close;
	return (size_t)(end + 1 - text);
}

/* Writes "a<b<c>>::d" as "a<…>::d".  Returns the new length; or 0 if brackets do not pair or the
 * result is too long. */
static size_t collapse(const char *name, size_t bytes, char open, char close, char *text)
{
	const char *end = name + bytes;
	size_t used = 0, depth = 0;

	for (const char *at = name; at < end; at++) {
		size_t whole = operator_at(at, end);

		if (used + sizeof(ELLIPSIS) + whole + 2 > LABEL_BYTES)
			return 0;
		if (whole) {
			if (depth == 0)
				used = (size_t)((char *)mempcpy(text + used, at, whole) - text);
			at += whole - 1;
		} else if (*at == open) {
			if (depth++ == 0)
				used += write_short(text + used, open, close);
		} else if (*at == close) {
			if (depth-- == 0)
				return 0;
		} else if (depth == 0) {
			text[used++] = *at;
		}
	}
	return depth ? 0 : used;
}

/* Writes "libsqlite3.so.0@0x1a2b0" as "libsq…@0x1a2b0".  Returns false if that does not help. */
static bool write_module(FILE *file, const char *name, size_t bytes, size_t cells)
{
	const char *at = memmem(name, bytes, "@0x", 3);
	size_t tail = at ? (size_t)(name + bytes - at) : 0;
	size_t head = at ? (size_t)(at - name) : 0;

	if (!at || cells < tail + 2 || head <= cells - tail - 1)
		return false;
	safe_text_xml(file, name, safe_text_fit(name, head, cells - tail - 1));
	fputs(ELLIPSIS, file);
	safe_text_xml(file, at, tail);
	return true;
}

void graph_label_write(FILE *file, const char *name, size_t bytes, size_t cells)
{
	static const char brackets[2][2] = { { '<', '>' }, { '(', ')' } };
	char text[2][LABEL_BYTES];

	if (safe_text_cells(name, bytes) > cells && write_module(file, name, bytes, cells))
		return;
	for (unsigned i = 0; i < 2 && safe_text_cells(name, bytes) > cells; i++) {
		size_t length = collapse(name, bytes, brackets[i][0], brackets[i][1], text[i]);

		if (length) {
			name = text[i];
			bytes = length;
		}
	}
	safe_text_clipped(file, name, bytes, cells);
}

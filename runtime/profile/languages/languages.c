/*
 * The languages by their numbers, and parts of texts.
 */
#include "runtime/profile/languages/languages.h"

#include <string.h>

#define ROW(id, number, name) { (number), &language_##name },

static const struct {
	uint32_t number;
	const struct language *language;
} table[] = { SPOOL_LANGUAGES(ROW) };

const struct language *languages_each(size_t i)
{
	return i < sizeof(table) / sizeof(table[0]) ? table[i].language : NULL;
}

const struct language *languages_find(uint32_t number)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].number == number)
			return table[i].language;
	return NULL;
}

bool part_is(struct part part, const char *text)
{
	return part.bytes == strlen(text) && !memcmp(part.text, text, part.bytes);
}

struct part part_take_last(struct part *path)
{
	const char *slash = path->bytes ? memrchr(path->text, '/', path->bytes) : NULL;
	size_t before = slash ? (size_t)(slash - path->text) + 1 : 0;
	struct part last = { path->text + before, path->bytes - before };

	path->bytes = slash ? before - 1 : 0;
	return last;
}

struct part part_base(struct part path)
{
	return part_take_last(&path);
}

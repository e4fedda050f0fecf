/* The languages by their numbers, and parts of texts. */
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

/* Compare with a pattern that has at most one `*`. */
static bool matches(const char *pattern, size_t length, const char *name, size_t bytes)
{
	const char *star = memchr(pattern, '*', length);
	size_t before = star ? (size_t)(star - pattern) : length;
	size_t after = star ? length - before - 1 : 0;

	if (bytes < before + after || (!star && bytes != before))
		return false;
	return !memcmp(name, pattern, before) &&
	       (!after || !memcmp(name + bytes - after, star + 1, after));
}

static bool is_one_of(const char *patterns, const char *name, size_t bytes)
{
	for (size_t length; *patterns; patterns += length + strspn(patterns + length, " ")) {
		length = strcspn(patterns, " ");
		if (matches(patterns, length, name, bytes))
			return true;
	}
	return false;
}

enum languages_frame languages_frame(enum spool_language language, const char *name)
{
	size_t bytes = strcspn(name, ".@"); /* "vectorcall_method.constprop.0", "rb_vm_exec@plt" */
	const struct language *about = languages_find(language);

	if (!about)
		return LANGUAGES_FRAME_NONE;
	if (is_one_of(about->always, name, bytes))
		return LANGUAGES_FRAME_ALWAYS;
	return is_one_of(about->between, name, bytes) ? LANGUAGES_FRAME_BETWEEN
						      : LANGUAGES_FRAME_NONE;
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

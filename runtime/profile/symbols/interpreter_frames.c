/*
 * Compares a function's name with the lists of its language.
 */
#include "runtime/profile/symbols/interpreter_frames.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "runtime/profile/languages/languages.h"

/* Compare with a pattern that has at most one `*`. */
static bool matches(const char *pattern, const char *name, size_t bytes)
{
	const char *star = strchr(pattern, '*');
	size_t before = star ? (size_t)(star - pattern) : strlen(pattern);
	size_t after = star ? strlen(star + 1) : 0;

	if (bytes < before + after || (!star && bytes != before))
		return false;
	return !memcmp(name, pattern, before) &&
	       (!after || !memcmp(name + bytes - after, star + 1, after));
}

static bool is_one_of(const char *const *patterns, const char *name, size_t bytes)
{
	for (; *patterns; patterns++)
		if (matches(*patterns, name, bytes))
			return true;
	return false;
}

enum interpreter_frame interpreter_frames_find(enum spool_language language, const char *name)
{
	size_t bytes = strcspn(name, ".@"); /* "vectorcall_method.constprop.0", "rb_vm_exec@plt" */
	const struct language *about = languages_find(language);

	if (!about)
		return INTERPRETER_FRAME_NONE;
	if (is_one_of(about->always, name, bytes))
		return INTERPRETER_FRAME_ALWAYS;
	return is_one_of(about->between, name, bytes) ? INTERPRETER_FRAME_BETWEEN
						      : INTERPRETER_FRAME_NONE;
}

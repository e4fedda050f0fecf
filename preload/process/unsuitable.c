/*
 * Each reason ends with what happens: the program runs as without the library.
 */
#include "preload/process/unsuitable.h"

#include "config/settings/settings.h"
#include "config/text/text.h"
#include "preload/libc/libc.h"
#include "runtime/sample/elf/raw_calls.h"

bool unsuitable_explain(const struct settings *settings, char *line, size_t bytes)
{
	struct text text = text_into(line, bytes);

	if (libc_lacks()) {
		text_add_all(&text, "libc has no ", libc_lacks(), ", which sampling needs; the ",
			     "program runs unprofiled", NULL);
		return true;
	}
	if (!libc_is_used()) {
		if (!settings->collected) /* the command reports it for its own program */
			text_add(&text, "the program uses no libc, which sampling needs; it runs "
					"unprofiled");
		return true;
	}
	if (!raw_calls_is_pure_go())
		return false;
	text_add(&text, "Go without cgo handles its signals past libc, which sampling needs; the "
			"program runs unprofiled");
	return true;
}

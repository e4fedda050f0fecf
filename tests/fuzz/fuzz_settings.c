/*
 * Any environment is read, or refused with one printable line.  Any accepted output pattern
 * resolves within its buffer.  The lines of the input are the entries of the environment.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings/pattern.h"
#include "config/settings/settings.h"
#include "config/settings/settings_env.h"
#include "config/text/glob.h"

#define ENTRIES_MAX 64

static void check_line(const char *line)
{
	if (!*line || strlen(line) >= SETTINGS_LINE_MAX - 1)
		abort();
	for (; *line; line++) {
		if (*line < ' ' || *line > '~')
			abort();
	}
}

static void use(const struct settings *settings)
{
	char *const environment[] = { (char *)"RANK=3", NULL };
	struct pattern_values values = {
		.pid = 1,
		.executable = "a/b",
		.host = "h",
		.environment = environment,
	};
	char out[SETTINGS_TEXT_MAX];

	if (settings->events.count == 0 || settings->events.count > EVENTS_MAX)
		abort();
	if (settings->depth == 0 || settings->depth > SETTINGS_DEPTH_MAX)
		abort();
	if ((settings->period == 0) == (settings->frequency_hz == 0))
		abort();
	if (pattern_resolve(settings->output, &values, out, sizeof(out)) == 0 && !*out &&
	    !strchr(settings->output, '%'))
		abort();
	if (settings->follow_glob[0])
		glob_match(settings->follow_glob, "cc1plus");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct settings settings;
	char *entries[ENTRIES_MAX + 1];
	char line[SETTINGS_LINE_MAX];
	char *text = malloc(size + 1);
	size_t count = 0;
	char *rest = text;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	while (count < ENTRIES_MAX && (entries[count] = strsep(&rest, "\n")))
		count++;
	entries[count] = NULL;
	settings_defaults(&settings);
	if (settings_env_read(&settings, entries, check_line, line, sizeof(line)))
		check_line(line);
	else if (settings.mode == SETTINGS_ON)
		use(&settings);
	free(text);
	return 0;
}

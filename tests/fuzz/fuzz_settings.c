/*
 * Any environment is read, or refused with one printable line.  Any accepted output pattern
 * resolves within its buffer.  The lines of the input are the entries of the environment.
 */
#include "config/settings/pattern.h"
#include "config/settings/settings.h"
#include "config/text/glob.h"
#include "tests/fuzz/fuzz.h"

#define ENTRIES_MAX 64

static void check_line(const char *line)
{
	CHECK(*line && strlen(line) < SETTINGS_LINE_MAX - 1);
	for (; *line; line++)
		CHECK(*line >= ' ' && *line <= '~');
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

	CHECK(settings->events.count && settings->events.count <= EVENTS_MAX);
	CHECK(settings->depth && settings->depth <= SETTINGS_DEPTH_MAX);
	CHECK((settings->period == 0) != (settings->frequency_hz == 0));
	CHECK(pattern_resolve(settings->output, &values, out, sizeof(out)) || *out ||
	      strchr(settings->output, '%'));
	if (settings->follow_glob[0])
		glob_match(settings->follow_glob, "cc1plus");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct settings settings;
	char *entries[ENTRIES_MAX + 1];
	char line[SETTINGS_LINE_MAX];
	char *text = fuzz_text(data, size);
	size_t count = 0;
	char *rest = text;

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

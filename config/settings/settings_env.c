/*
 * The rows are read in the order of the table.  Two come first: whether the library stays
 * inactive, and how an error in the others is handled.
 */
#include "config/settings/settings_env.h"

#include <string.h>

#include "config/events/lookup.h"
#include "config/settings/env.h"
#include "config/settings/modes.h"
#include "config/text/text.h"

#define PREFIX	     "FLAMETRAP"
#define VARIABLE_MAX 64

/* Length of the name if an entry begins with our prefix; otherwise 0. */
static size_t our_name(const char *entry)
{
	size_t length = strcspn(entry, "=");

	if (entry[length] != '=' || strncmp(entry, PREFIX "_", strlen(PREFIX "_")) != 0)
		return 0;
	return length;
}

static void warn_unknown(const char *name, size_t length, void (*warn)(const char *line))
{
	char known[VARIABLE_MAX], out[160];
	struct text line = text_into(out, sizeof(out));

	text_copy_bytes(known, sizeof(known), name, length);
	text_escaped(&line, name, length, 60);
	text_add_all(&line, " is not a setting, nearest: ", settings_nearest(known), NULL);
	warn(out);
}

static bool known(const char *name, size_t length)
{
	char copy[VARIABLE_MAX];

	return text_copy_bytes(copy, sizeof(copy), name, length) && settings_find(copy);
}

static void report_unknown(char *const *environment, void (*warn)(const char *line))
{
	for (char *const *entry = environment; *entry; entry++) {
		size_t length = our_name(*entry);
		char *const *before = environment;

		if (!length || known(*entry, length))
			continue;
		while (before < entry && !env_value(*before, *entry, length))
			before++;
		if (before == entry)
			warn_unknown(*entry, length, warn);
	}
}

static int read_row(struct settings *settings, const struct setting *setting,
		    char *const *environment, char *line, size_t bytes)
{
	const char *value = env_get(environment, setting->variable);

	return value ? settings_set(settings, setting, value, line, bytes) : 0;
}

static int read_all(struct settings *settings, char *const *environment,
		    void (*warn)(const char *line), char *line, size_t bytes)
{
	int err = read_row(settings, settings_find(PREFIX), environment, line, bytes);

	/* an inactive library reports nothing about the rest */
	if (err || settings->mode != SETTINGS_ON)
		return err;
	/* how an error in the others is handled */
	err = read_row(settings, settings_find(PREFIX "_STRICT"), environment, line, bytes);
	for (size_t row = 0; !err && row < settings_count; row++)
		err = read_row(settings, &settings_table[row], environment, line, bytes);
	if (err)
		return err;
	/* the launcher has reported them */
	if (warn && !settings->collected)
		report_unknown(environment, warn);
	err = modes_apply(settings, line, bytes);
	return err ? err : settings_check(settings, line, bytes);
}

int settings_env_read(struct settings *settings, char *const *environment,
		      void (*warn)(const char *line), char *line, size_t bytes)
{
	int err = read_all(settings, environment, warn, line, bytes);

	/* the text of the codes is in the environment, which the target may change */
	lookup_encoded(NULL);
	return err;
}

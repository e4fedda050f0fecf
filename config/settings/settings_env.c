/*
 * The rows are read in the order of the table.  Two come first: whether the library stays
 * inactive, and how an error in the others is handled.
 */
#include "config/settings/settings_env.h"

#include <errno.h>
#include <string.h>

#include "config/events/events.h"
#include "config/events/lookup.h"
#include "config/settings/env.h"
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

static bool has_clock(const struct events *events, bool off_cpu)
{
	for (unsigned i = 0; i < events->count; i++)
		if (events->event[i].unit == EVENTS_UNIT_NS && events->event[i].leader == i &&
		    events->event[i].off_cpu == off_cpu)
			return true;
	return false;
}

static int add(struct events *events, const char *name, bool in_front)
{
	static struct events one; /* too large for a small stack; only one thread reads settings */
	unsigned at = in_front ? 0 : events->count;
	struct complaint unused;

	if (events->count == EVENTS_MAX || events_parse(&one, name, &unused))
		return -EINVAL;
	if (in_front) {
		memmove(events->event + 1, events->event, events->count * sizeof(*events->event));
		for (unsigned i = 1; i <= events->count; i++)
			events->event[i].leader++;
	}
	events->event[at] = one.event[0];
	events->event[at].leader = at;
	events->count++;
	return 0;
}

static int add_events(struct settings *settings)
{
	struct events *events = &settings->events;
	int err = 0;

	if (events->defaulted)
		events->count = 0; /* the user named no event */
	events->defaulted = false;
	if (!events->count || (settings->wall && !has_clock(events, false)))
		err = add(events, "task-clock", true);
	if (!err && !has_clock(events, true))
		err = add(events, "off-cpu", false);
	return err;
}

/* Turns FLAMETRAP_OFF_CPU and FLAMETRAP_WALL, which stand for several settings, into events and a
 * weight after all settings are stored.  They add the events that they need to those that the user
 * named; task-clock only if the user named none, or if the graph of both sides needs it.  Settings
 * that the user gave stay. */
static int apply_modes(struct settings *settings, char *line, size_t bytes)
{
	if (!settings->off_cpu && !settings->wall)
		return 0;
	if (settings->wall && !settings->off_cpu && settings_given(settings, "FLAMETRAP_OFF_CPU")) {
		text_copy(line, bytes,
			  "FLAMETRAP_WALL needs time off the processor, which FLAMETRAP_OFF_CPU=no "
			  "excludes; accepted: one of the two");
		return -EINVAL;
	}
	if (!settings_given(settings, "FLAMETRAP_WEIGHT"))
		settings->weight = SETTINGS_WEIGHT_EVENTS;
	if (!add_events(settings))
		return 0;
	text_make(line, bytes, settings->wall ? "FLAMETRAP_WALL" : "FLAMETRAP_OFF_CPU",
		  ": FLAMETRAP_EVENTS leaves no room for it; accepted: 16 events in all, "
		  "task-clock and off-cpu among them",
		  NULL);
	return -EINVAL;
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
	err = apply_modes(settings, line, bytes);
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

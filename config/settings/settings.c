/* Functions on the rows of the table in settings_table.c. */
#include "config/settings/settings.h"

#include <errno.h>
#include <string.h>

#include "config/events/events.h"
#include "config/events/lookup.h"
#include "config/settings/env.h"
#include "config/text/text.h"

#define SHOWN_MAX    60
#define PREFIX	     "FLAMETRAP_"
#define VARIABLE_MAX 64

static int parse(struct settings *settings, const struct setting *setting, const char *text,
		 struct complaint *complaint)
{
	const struct values_rule *rule = &setting->rule;

	return rule->parse(rule, (char *)settings + rule->field, text, complaint);
}

void settings_defaults(struct settings *settings)
{
	struct complaint complaint;

	memset(settings, 0, sizeof(*settings));
	for (size_t row = 0; row < settings_count; row++) {
		if (settings_table[row].fallback[0])
			parse(settings, &settings_table[row], settings_table[row].fallback,
			      &complaint);
	}
	events_parse(&settings->events, "cycles", &complaint);
	settings->events.defaulted = true;
}

int settings_set(struct settings *settings, const struct setting *setting, const char *text,
		 char *line, size_t bytes)
{
	struct complaint complaint = { 0 };
	struct text out;
	int err;

	err = parse(settings, setting, text, &complaint);
	if (!err) {
		settings->given |= UINT32_C(1) << (setting - settings_table);
		return 0;
	}
	out = text_into(line, bytes);
	text_add_all(&out, setting->variable, "=", NULL);
	text_escaped(&out, text, strlen(text), SHOWN_MAX);
	text_add_all(&out, ": ", complaint.reason, "; accepted: ", setting->values, NULL);
	return err;
}

/* True if settings_set() has stored the row. */
static bool is_given(const struct settings *settings, const struct setting *setting)
{
	return settings->given & UINT32_C(1) << (setting - settings_table);
}

const struct setting *settings_of(size_t field)
{
	const struct setting *setting = settings_table;

	while (setting->rule.field != field)
		setting++;
	return setting;
}

/* Returns the contradiction between an event and the settings, or NULL. */
static const char *event_contradiction(const struct settings *settings, const struct event *event)
{
	if (event->kernel_only && settings->kernel == SETTINGS_KERNEL_NO)
		return "FLAMETRAP_KERNEL=no leaves nothing to count of an event with :k in "
		       "FLAMETRAP_EVENTS; accepted: one of the two";
	if (event->wakeup_events && settings->notify != SETTINGS_NOTIFY_SIGIO)
		return "wakeup_events= in FLAMETRAP_EVENTS needs FLAMETRAP_NOTIFY=sigio: SIGTRAP "
		       "comes with each overflow, before the thread goes on; accepted: both, or "
		       "neither";
	if (event->refresh && settings->notify != SETTINGS_NOTIFY_SIGIO)
		return "refresh= in FLAMETRAP_EVENTS needs FLAMETRAP_NOTIFY=sigio: a counter that "
		       "stops itself reports it in that signal; accepted: both, or neither";
	return NULL;
}

int settings_check(const struct settings *settings, char *line, size_t bytes)
{
	const char *wrong = NULL;

	if (is_given(settings, SETTING(period)) && is_given(settings, SETTING(frequency_hz)))
		wrong = "FLAMETRAP_PERIOD and FLAMETRAP_FREQUENCY exclude each other; accepted: "
			"one of the two";
	else if (is_given(settings, SETTING(signal)) && settings->notify == SETTINGS_NOTIFY_SIGTRAP)
		wrong = "FLAMETRAP_SIGNAL and FLAMETRAP_NOTIFY=sigtrap exclude each other; "
			"accepted: a signal with sigio, timer or auto";
	for (unsigned i = 0; !wrong && i < settings->events.count; i++)
		wrong = event_contradiction(settings, &settings->events.event[i]);
	if (!wrong)
		return 0;
	text_copy(line, bytes, wrong);
	return -EINVAL;
}

const struct setting *settings_find(const char *name)
{
	for (size_t row = 0; row < settings_count; row++) {
		const struct setting *setting = &settings_table[row];

		if (strcmp(setting->variable, name) == 0 ||
		    (setting->option && strcmp(setting->option, name) == 0))
			return setting;
	}
	return NULL;
}

const char *settings_fallback(const struct setting *setting)
{
	return setting->shown ? setting->shown : setting->fallback;
}

const char *settings_nearest(const char *name)
{
	const char *best = settings_table[0].variable;
	unsigned distance = UINT32_MAX;

	for (size_t row = 0; row < settings_count; row++) {
		const char *variable = settings_table[row].variable;
		unsigned far = text_distance(name, strlen(name), variable, strlen(variable));

		if (settings_table[row].internal || far >= distance)
			continue;
		distance = far;
		best = variable;
	}
	return best;
}

/* Length of the name if an entry begins with our prefix; otherwise 0. */
static size_t our_name(const char *entry)
{
	size_t length = strcspn(entry, "=");

	if (entry[length] != '=' || strncmp(entry, PREFIX, strlen(PREFIX)) != 0)
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
	for (char *const *entry = environment; entry && *entry; entry++) {
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
	if (settings->wall && !settings->off_cpu && is_given(settings, SETTING(off_cpu))) {
		text_copy(line, bytes,
			  "FLAMETRAP_WALL needs time off the processor, which FLAMETRAP_OFF_CPU=no "
			  "excludes; accepted: one of the two");
		return -EINVAL;
	}
	if (!is_given(settings, SETTING(weight)))
		settings->weight = SETTINGS_WEIGHT_EVENTS;
	if (!add_events(settings))
		return 0;
	text_make(line, bytes, settings->wall ? "FLAMETRAP_WALL" : "FLAMETRAP_OFF_CPU",
		  ": FLAMETRAP_EVENTS leaves no room for it; accepted: 16 events in all, "
		  "task-clock and off-cpu among them",
		  NULL);
	return -EINVAL;
}

/* Reads three rows first: whether the library stays inactive, how an error in the others is
 * handled, and the codes of events, which the events need. */
static int read_all(struct settings *settings, char *const *environment,
		    void (*warn)(const char *line), char *line, size_t bytes)
{
	int err = read_row(settings, SETTING(mode), environment, line, bytes);

	/* an inactive library reports nothing about the rest */
	if (err || settings->mode != SETTINGS_ON)
		return err;
	/* how an error in the others is handled */
	err = read_row(settings, SETTING(strict), environment, line, bytes);
	if (!err)
		err = read_row(settings, SETTING(encoded), environment, line, bytes);
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

/*
 * Functions on the rows of the table in settings_table.c.
 */
#include "config/settings/settings.h"

#include <errno.h>
#include <string.h>

#include "config/events/events.h"
#include "config/text/text.h"

#define SHOWN_MAX 60

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

bool settings_given(const struct settings *settings, const char *variable)
{
	const struct setting *setting = settings_find(variable);

	return settings->given & UINT32_C(1) << (setting - settings_table);
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

	if (settings_given(settings, "FLAMETRAP_PERIOD") &&
	    settings_given(settings, "FLAMETRAP_FREQUENCY"))
		wrong = "FLAMETRAP_PERIOD and FLAMETRAP_FREQUENCY exclude each other; accepted: "
			"one of the two";
	else if (settings_given(settings, "FLAMETRAP_SIGNAL") &&
		 settings->notify == SETTINGS_NOTIFY_SIGTRAP)
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

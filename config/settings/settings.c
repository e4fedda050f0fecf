/*
 * Functions on the rows of the table in settings_table.c.
 */
#include "config/settings/settings.h"

#include <errno.h>
#include <string.h>

#include "config/events/events.h"
#include "config/text/distance.h"
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
	text_add(&out, setting->variable);
	text_add(&out, "=");
	text_escaped(&out, text, strlen(text), SHOWN_MAX);
	text_add(&out, ": ");
	text_add(&out, complaint.reason);
	text_add(&out, "; accepted: ");
	text_add(&out, setting->values);
	return err;
}

bool settings_given(const struct settings *settings, const char *variable)
{
	const struct setting *setting = settings_find(variable);

	return settings->given & UINT32_C(1) << (setting - settings_table);
}

static int contradiction(const char *text, char *line, size_t bytes)
{
	struct text out = text_into(line, bytes);

	text_add(&out, text);
	return -EINVAL;
}

int settings_check(const struct settings *settings, char *line, size_t bytes)
{
	if (settings_given(settings, "FLAMETRAP_PERIOD") &&
	    settings_given(settings, "FLAMETRAP_FREQUENCY"))
		return contradiction("FLAMETRAP_PERIOD and FLAMETRAP_FREQUENCY exclude each "
				     "other; accepted: one of the two",
				     line, bytes);
	if (settings_given(settings, "FLAMETRAP_SIGNAL") &&
	    settings->notify == SETTINGS_NOTIFY_SIGTRAP)
		return contradiction("FLAMETRAP_SIGNAL and FLAMETRAP_NOTIFY=sigtrap exclude each "
				     "other; accepted: a signal with sigio, timer or auto",
				     line, bytes);
	for (unsigned i = 0; i < settings->events.count; i++) {
		if (settings->events.event[i].kernel_only && settings->kernel == SETTINGS_KERNEL_NO)
			return contradiction("FLAMETRAP_KERNEL=no leaves nothing to count of an "
					     "event with :k in FLAMETRAP_EVENTS; accepted: one of "
					     "the two",
					     line, bytes);
		if (settings->events.event[i].wakeup_events &&
		    settings->notify != SETTINGS_NOTIFY_SIGIO)
			return contradiction("wakeup_events= in FLAMETRAP_EVENTS needs "
					     "FLAMETRAP_NOTIFY=sigio: SIGTRAP comes with each "
					     "overflow, before the thread goes on; accepted: both, "
					     "or neither",
					     line, bytes);
		if (settings->events.event[i].refresh && settings->notify != SETTINGS_NOTIFY_SIGIO)
			return contradiction("refresh= in FLAMETRAP_EVENTS needs "
					     "FLAMETRAP_NOTIFY=sigio: a counter that stops itself "
					     "reports it in that signal; accepted: both, "
					     "or neither",
					     line, bytes);
	}
	return 0;
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

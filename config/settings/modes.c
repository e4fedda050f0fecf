/*
 * A mode adds the events that it needs to those that the user named, and changes defaults.
 * Settings that the user gave stay.
 */
#include "config/settings/modes.h"

#include <errno.h>
#include <string.h>

#include "config/events/events.h"
#include "config/settings/settings.h"
#include "config/text/text.h"

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

int modes_apply(struct settings *settings, char *line, size_t bytes)
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

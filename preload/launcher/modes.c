/*
 * Order: the other options are in the environment by then, so what is added here adds to them.
 */
#include "preload/launcher/modes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/env.h"
#include "config/events.h"
#include "preload/launcher/environment.h"
#include "preload/launcher/options.h"

static bool has(const struct events *events, bool off_cpu)
{
	for (unsigned i = 0; i < events->count; i++)
		if (events->event[i].unit == EVENTS_UNIT_NS && events->event[i].leader == i &&
		    events->event[i].off_cpu == off_cpu)
			return true;
	return false;
}

static int add_events(const struct options *options, struct environment *environment)
{
	const char *asked = env_get(environment->entries, "FLAMETRAP_EVENTS");
	const char *front = "", *back = "";
	struct events *events = calloc(1, sizeof(*events));
	struct complaint unused;
	char *list = NULL;
	int err = 0;

	if (!events)
		return -ENOMEM;
	if (!asked)
		asked = "";
	if (*asked && events_parse(events, asked, &unused))
		goto out; /* it is refused later, in its own words */
	if (!*asked)
		front = "task-clock";
	else if (options->wall && !has(events, false))
		front = "task-clock,";
	if (!has(events, true))
		back = ",off-cpu";
	if (asprintf(&list, "%s%s%s", front, asked, back) < 0)
		list = NULL;
	err = list ? environment_set(environment, "FLAMETRAP_EVENTS", list) : -ENOMEM;
out:
	free(list);
	free(events);
	return err;
}

int modes_apply(const struct options *options, struct environment *environment)
{
	int err = 0;

	if (!options->off_cpu)
		return 0;
	if (!env_get(environment->entries, "FLAMETRAP_WEIGHT"))
		err = environment_set(environment, "FLAMETRAP_WEIGHT", "events");
	return err ? err : add_events(options, environment);
}

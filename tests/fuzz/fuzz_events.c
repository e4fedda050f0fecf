/*
 * Any event list is read into a sound list, or refused at a byte inside it.  A list that was read
 * and is written out by its names is read again as the same list.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "config/events/events.h"

static void check(const struct events *events)
{
	for (unsigned i = 0; i < events->count; i++) {
		const struct event *event = &events->event[i];
		struct perf_event_attr attr;

		if (event->leader > i || events->event[event->leader].leader != event->leader)
			abort();
		if (!event->name[0] || !memchr(event->name, '\0', sizeof(event->name)))
			abort();
		if (event->leader != i && (event->period || event->frequency_hz))
			abort();
		if (event->user_only && event->kernel_only)
			abort();
		events_attr(event, 0, 999, true, &attr);
		if (attr.exclude_user && attr.exclude_kernel)
			abort();
	}
}

/* Names of events without terms are themselves events. */
static void check_names(const struct events *events, const char *text)
{
	struct complaint complaint;
	struct events again;

	if (strchr(text, '/'))
		return; /* terms may have changed more than the name says */
	for (unsigned i = 0; i < events->count; i++) {
		if (strlen(events->event[i].name) == sizeof(events->event[i].name) - 1)
			continue; /* it may have been cut */
		if (events_parse(&again, events->event[i].name, &complaint) || again.count != 1)
			abort();
		if (again.event[0].config != events->event[i].config ||
		    again.event[0].type != events->event[i].type ||
		    again.event[0].user_only != events->event[i].user_only ||
		    again.event[0].kernel_only != events->event[i].kernel_only)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct complaint complaint = { 0 };
	struct events events;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (events_parse(&events, text, &complaint)) {
		if (complaint.at > strlen(text) || !complaint.reason[0] ||
		    strlen(complaint.reason) >= sizeof(complaint.reason) - 1)
			abort();
	} else {
		if (events.count == 0 || events.count > EVENTS_MAX)
			abort();
		check(&events);
		check_names(&events, text);
	}
	free(text);
	return 0;
}

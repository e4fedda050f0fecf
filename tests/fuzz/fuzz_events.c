/*
 * Any event list is read into a sound list, or refused at a byte inside it.  A list that was read
 * and is written out by its names is read again as the same list.
 */
#include <linux/perf_event.h>

#include "config/events/events.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct events *events)
{
	for (unsigned i = 0; i < events->count; i++) {
		const struct event *event = &events->event[i];
		struct perf_event_attr attr;

		CHECK(event->leader <= i && events->event[event->leader].leader == event->leader);
		CHECK(event->name[0] && memchr(event->name, '\0', sizeof(event->name)));
		CHECK(event->leader == i || !(event->period || event->frequency_hz));
		CHECK(!(event->user_only && event->kernel_only));
		events_attr(event, 0, 999, true, &attr);
		CHECK(!(attr.exclude_user && attr.exclude_kernel));
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
		CHECK(!events_parse(&again, events->event[i].name, &complaint) && again.count == 1);
		CHECK(again.event[0].config == events->event[i].config &&
		      again.event[0].type == events->event[i].type &&
		      again.event[0].user_only == events->event[i].user_only &&
		      again.event[0].kernel_only == events->event[i].kernel_only);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct complaint complaint = { 0 };
	struct events events;
	char *text = fuzz_text(data, size);

	if (events_parse(&events, text, &complaint)) {
		CHECK(complaint.at <= strlen(text) && complaint.reason[0] &&
		      strlen(complaint.reason) < sizeof(complaint.reason) - 1);
	} else {
		CHECK(events.count && events.count <= EVENTS_MAX);
		check(&events);
		check_names(&events, text);
	}
	free(text);
	return 0;
}

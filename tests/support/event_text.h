/* For cmocka programs: an event's text is read, or refused at a place and for a reason. */
#ifndef TESTS_UNIT_EVENT_TEXT_H
#define TESTS_UNIT_EVENT_TEXT_H

#include <errno.h>

#include "config/events/events.h"
#include "tests/support/unit.h"

static struct events events; /* what was read last */

/* The first event of the text, until the next is read. */
static inline const struct event *reads(const char *text)
{
	struct complaint complaint = { 0 };

	if (events_parse(&events, text, &complaint))
		fail_msg("%s: %s", text, complaint.reason);
	return &events.event[0];
}

static inline void refuses(const char *text, size_t at, const char *reason)
{
	struct complaint complaint = { 0 };

	assert_int_equal(events_parse(&events, text, &complaint), -EINVAL);
	assert_string_equal(complaint.reason, reason);
	assert_int_equal(complaint.at, at);
}

#endif

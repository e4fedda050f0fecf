/*
 * A counter's name has the modifiers that the user wrote, such as the p of cycles:pp.  A name that
 * the user gave by name=... says nothing; it is taken for a hardware event without precision, which
 * promises the least.
 */
#include "runtime/output/annotate/annotate_skid.h"

#include <linux/perf_event.h>
#include <stdbool.h>

#include "config/events/events.h"
#include "runtime/spool/format.h"

#define CLOCK                                                                               \
	"a timer interrupts the thread: the address is where it goes on, so the time of a " \
	"slow instruction is at the one after it, or at the one that waits for its result"

static bool is_clock(const struct event *event)
{
	return event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_CPU_CLOCK ||
						     event->config == PERF_COUNT_SW_TASK_CLOCK);
}

static const char *text_of(const struct event *event)
{
	if (is_clock(event))
		return CLOCK;
	if (event->type == PERF_TYPE_SOFTWARE || event->type == PERF_TYPE_TRACEPOINT ||
	    event->type == PERF_TYPE_BREAKPOINT || event->path[0] || event->symbol[0])
		return "the address is that of the instruction that caused it";
	if (event->precise > 1 || event->precise_most)
		return "precise: the processor tells the instruction that caused it, or the one "
		       "after it";
	if (event->precise)
		return "precise to a constant distance: the address is a fixed number of "
		       "instructions after the one that caused it";
	return "not precise: the address is some instructions after the one that caused it; "
	       ":pp behind the event's name makes it precise where the processor can";
}

const char *annotate_skid_text(const struct spool_counter *counter, uint32_t engine)
{
	struct complaint complaint;
	struct events events;

	if (counter->flags & SPOOL_COUNTER_OFF_CPU)
		return "the address is that of the call that waited";
	if (counter->flags & SPOOL_COUNTER_AFTER)
		return "the address is that of the instruction after the one that caused it";
	if (!(counter->flags & SPOOL_COUNTER_SAMPLES))
		return "counted from sample to sample of its group's leader: its weight is where "
		       "the leader's samples are";
	if (engine == SPOOL_ENGINE_TIMER)
		return CLOCK;
	if (events_parse(&events, counter->name, &complaint) || events.count != 1)
		return text_of(&(struct event){ .type = PERF_TYPE_HARDWARE });
	return text_of(&events.event[0]);
}

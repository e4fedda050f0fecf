/*
 * The counter's flags say how its samples get their addresses.
 */
#include "runtime/output/annotate/annotate_skid.h"

#include <stddef.h>

#include "runtime/spool/format.h"

static const struct {
	uint32_t flag;
	const char *text;
} texts[] = {
	{ SPOOL_COUNTER_OFF_CPU, "the address is that of the call that waited" },
	{ SPOOL_COUNTER_AFTER,
	  "the address is that of the instruction after the one that caused it" },
	{ SPOOL_COUNTER_CLOCK,
	  "a timer interrupts the thread: the address is where it goes on, so the time of a "
	  "slow instruction is at the one after it, or at the one that waits for its result" },
	{ SPOOL_COUNTER_SKIDS,
	  "not precise: the address is some instructions after the one that caused it; "
	  ":pp behind the event's name makes it precise where the processor can" },
	{ SPOOL_COUNTER_SHIFTED, "precise to a constant distance: the address is a fixed number of "
				 "instructions after the one that caused it" },
	{ SPOOL_COUNTER_PRECISE,
	  "precise: the processor tells the instruction that caused it, or the one after it" },
	{ SPOOL_COUNTER_EXACT, "the address is that of the instruction that caused it" },
};

static const char *text_of(uint32_t flags)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (flags & texts[i].flag)
			return texts[i].text;
	return "the spool is of an older flametrap and does not say how exact the address is";
}

const char *annotate_skid_text(const struct spool_counter *counter, uint32_t engine)
{
	const uint32_t by_kind = SPOOL_COUNTER_OFF_CPU | SPOOL_COUNTER_AFTER;

	if (counter->flags & by_kind)
		return text_of(counter->flags & by_kind);
	if (!(counter->flags & SPOOL_COUNTER_SAMPLES))
		return "counted from sample to sample of its group's leader: its weight is where "
		       "the leader's samples are";
	return text_of(engine == SPOOL_ENGINE_TIMER ? SPOOL_COUNTER_CLOCK : counter->flags);
}

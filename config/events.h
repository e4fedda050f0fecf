/*
 * What to count: the user's event string as a list of counters in groups, and the
 * perf_event_attr of each.  Pure text and numbers: no system call, no allocation, so that it
 * can run in the target's constructor, in the launcher and in a fuzzer.
 */
#ifndef CONFIG_EVENTS_H
#define CONFIG_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;

#define EVENTS_MAX	16
#define EVENTS_NAME_MAX 64

enum events_unit {
	EVENTS_UNIT_COUNT = 0,
	EVENTS_UNIT_NS = 1,
};

/* One counter as the user asked for it. */
struct event {
	char name[EVENTS_NAME_MAX]; /* as written with its modifiers: "task-clock", "cycles:u" */
	uint32_t type;		    /* PERF_TYPE_* */
	enum events_unit unit;
	uint64_t config;
	unsigned leader;       /* index of its group's leader; its own index if it leads */
	bool user_only;	       /* :u */
	bool kernel_only;      /* :k */
	uint64_t period;       /* 0: the general setting rules */
	uint64_t frequency_hz; /* 0: the general setting rules */
};

struct events {
	unsigned count;
	bool defaulted; /* nobody asked: the runtime takes task-clock where cycles does not open */
	struct event event[EVENTS_MAX];
};

/* What is wrong with a text, and where. */
struct complaint {
	size_t at;	  /* offset of the first offending byte */
	char reason[160]; /* what was found, what is accepted; no newline */
};

/* Read an event list in perf's grammar, e.g. "task-clock,{cycles,instructions}:u".
 * Returns 0; or -EINVAL with *complaint filled, *events unspecified.  Context: any. */
int events_parse(struct events *events, const char *text, struct complaint *complaint);

/* Build the attribute of one counter.  Sets what the event says (type, config, exclude_*,
 * period or frequency from the event or else from the two defaults, of which one is 0);
 * the runtime adds what it needs to be told (sample_type, read_format, sigtrap, clock).
 * kernel_allowed false excludes the kernel side whatever the event says; of a kernel_only event
 * nothing is left then.  A member of a group never has a rate of its own: with both defaults 0
 * it only counts.  Context: any. */
void events_attr(const struct event *event, uint64_t period, uint64_t frequency_hz,
		 bool kernel_allowed, struct perf_event_attr *attr);

#endif

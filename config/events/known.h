/*
 * The events that have a name of their own: perf's names and aliases for everything of
 * PERF_TYPE_HARDWARE and PERF_TYPE_SOFTWARE, and off-cpu, which is ours.
 */
#ifndef CONFIG_EVENTS_KNOWN_H
#define CONFIG_EVENTS_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/events/event.h"

struct known_event {
	const char *name;
	const char *alias; /* NULL if it has none */
	uint32_t type;	   /* PERF_TYPE_* */
	uint64_t config;
	enum events_unit unit;
	bool off_cpu;	     /* see struct event */
	const char *refused; /* why it cannot be sampled in a process; NULL if it can */
	const char *help;
};

extern const struct known_event known_table[];
extern const size_t known_count;

/* The event of a name or alias of `length` bytes; NULL if there is none.  Context: any. */
const struct known_event *known_find(const char *name, size_t length);

/* Name number `i` of known_spellings() names and aliases; `context` is not used.  The form is
 * scan_unknown's.  Context: any. */
const char *known_spelling(size_t i, const void *context);
size_t known_spellings(void);

/* cpu-clock and task-clock, whatever they were called: timers of the kernel, which must not stop
 * themselves (PERF_EVENT_IOC_REFRESH): that freezes machines of Linux 6.16 and 6.17.
 * Context: any. */
bool known_is_clock(uint32_t type, uint64_t config);

/* Switches of threads and kernel tracepoints happen in the kernel alone: without its side such
 * a counter opens and stays at 0 for ever.  Context: any. */
bool known_in_kernel(uint32_t type, uint64_t config);

#endif

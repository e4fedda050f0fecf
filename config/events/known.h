/*
 * Events with a name of their own: perf's names and aliases for all of PERF_TYPE_HARDWARE and
 * PERF_TYPE_SOFTWARE, and our off-cpu.
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
	const char *refused; /* " why it cannot be sampled in a process"; NULL if it can */
	const char *help;
};

/* A name of a cache event consists of a cache and a use of it, perf-list(1): "LLC", "-loads". */
struct known_cache {
	const char *name;
	uint64_t config;
	unsigned operations; /* bits of PERF_COUNT_HW_CACHE_OP_*: a cache's, or that of the use */
};

/* Both end with a NULL name. */
extern const struct known_cache known_caches[];
extern const struct known_cache known_cache_uses[];

extern const struct known_event known_table[];
extern const size_t known_count;

/* The event whose name or alias is the `length` bytes at `name`, or NULL if there is none.
 * Context: any. */
const struct known_event *known_find(const char *name, size_t length);

/* Number `i` of known_spellings() names and aliases.  `context` is not used; scan_unknown()
 * requires it.  Context: any. */
const char *known_spelling(size_t i, const void *context);
size_t known_spellings(void);

/* True for cpu-clock and task-clock under any name.  They are timers of the kernel and must not
 * stop themselves (PERF_EVENT_IOC_REFRESH), because that freezes machines with Linux 6.16 and
 * 6.17.  Context: any. */
bool known_is_clock(uint32_t type, uint64_t config);

/* True for events that happen only in the kernel: thread switches and kernel tracepoints.
 * Without the kernel side such a counter opens and stays at 0.  Context: any. */
bool known_in_kernel(uint32_t type, uint64_t config);

#endif

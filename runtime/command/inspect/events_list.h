/*
 * What perf_event_open(2) offers on this machine, kind by kind, each tried as it is listed.
 */
#ifndef RUNTIME_COMMAND_INSPECT_EVENTS_LIST_H
#define RUNTIME_COMMAND_INSPECT_EVENTS_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/command/base/counter_probe.h"

struct events_list_entry {
	const char *name; /* as for -e */
	const char *about;
	bool tried;
	struct counter_probe probe;
};

/* Told each event; the entry lives until it returns. */
typedef void events_list_tell(void *context, const struct events_list_entry *entry);

void events_list_software(events_list_tell *tell, void *context);
void events_list_hardware(events_list_tell *tell, void *context);
void events_list_caches(events_list_tell *tell, void *context);
void events_list_breakpoints(events_list_tell *tell, void *context);
void events_list_probes(events_list_tell *tell, void *context);
void events_list_pmus(events_list_tell *tell, void *context);
void events_list_cpu_names(events_list_tell *tell, void *context);
void events_list_tracepoints(events_list_tell *tell, void *context);

/* How many names of the processor's own there are, or why none is known, in one line. */
void events_list_cpu_summary(char *line, size_t bytes);

/* How many tracepoints can be read, and of how many systems. */
struct events_list_count {
	unsigned events, systems;
};
struct events_list_count events_list_count_tracepoints(void);

/* The same in one line, which says why if there are none. */
void events_list_tracepoint_summary(const struct events_list_count *there, char *line,
				    size_t bytes);

#endif

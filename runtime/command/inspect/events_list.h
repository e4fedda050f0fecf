/* Lists the events that perf_event_open(2) offers on this machine, by kind; each is tried. */
#ifndef RUNTIME_COMMAND_INSPECT_EVENTS_LIST_H
#define RUNTIME_COMMAND_INSPECT_EVENTS_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/command/base/kernel_access.h"

struct lookup_code;

struct events_list_entry {
	const char *name; /* as in -e */
	const char *about;
	bool tried;
	struct counter_probe probe;
};

/* What receives each event; the entry is valid until the function returns. */
struct events_list {
	void (*print)(void *context, const struct events_list_entry *entry);
	void *context;
};

void events_list_software(const struct events_list *list);
void events_list_hardware(const struct events_list *list);
void events_list_caches(const struct events_list *list);
void events_list_breakpoints(const struct events_list *list);
void events_list_probes(const struct events_list *list);
void events_list_pmus(const struct events_list *list);
void events_list_cpu_names(const struct events_list *list);
void events_list_tracepoints(const struct events_list *list);

/* Write in one line how many processor-specific names and how many readable tracepoints exist, or
 * why there are none; none is tried.  Returns false if there are none. */
bool events_list_cpu_summary(char *line, size_t bytes);
bool events_list_tracepoint_summary(char *line, size_t bytes);

/* Lend config/ the functions by which event strings read sysfs and tracefs, and a processor's own
 * names (config/events/lookup.h).  Call once, before any event string is read. */
void events_list_lend(void);

/*
 * Event names from a processor's manual (INST_RETIRED.ANY_P), resolved by libpfm4 if it is
 * installed.  It is loaded at the first such name, into the command only: a profiled program
 * receives numbers.
 */

/* Look up the code of a name, "EVENT", "EVENT.UMASK…" or "PMU::EVENT…".  Returns 0; -ENOSYS without
 * the library, -ENOENT if it does not know the name.  cpu_names_encode() also records the name for
 * cpu_names_used(). */
int cpu_names_code(const char *name, struct lookup_code *code);
int cpu_names_encode(const char *name, struct lookup_code *code);

/* Returns this processor's name nearest to an unknown one, valid until the next call; NULL without
 * the library, or if none is near. */
const char *cpu_names_nearest(const char *name);

/* Returns all names encoded so far, in the form that lookup_encoded() reads; empty if none. */
const char *cpu_names_used(void);

/* Call each(name, description, context) for the events of this processor and their variants.
 * Returns their number; 0 without the library. */
unsigned cpu_names_each(void (*each)(const char *name, const char *about, void *context),
			void *context);

#endif

/*
 * The events that have a name of their own: perf's names and aliases for everything of
 * PERF_TYPE_HARDWARE and PERF_TYPE_SOFTWARE.
 */
#ifndef CONFIG_NAMES_H
#define CONFIG_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "config/events.h"

struct named_event {
	const char *name;
	const char *alias; /* NULL if it has none */
	uint32_t type;	   /* PERF_TYPE_* */
	uint64_t config;
	enum events_unit unit;
	const char *refused; /* why it cannot be sampled in a process; NULL if it can */
	const char *help;
};

extern const struct named_event names_table[];
extern const size_t names_count;

/* The event of a name or alias of `length` bytes; NULL if there is none.  Context: any. */
const struct named_event *names_find(const char *name, size_t length);

/* Name number `i` of names_spellings() names and aliases; `context` is not used.  The form is
 * scan_unknown's.  Context: any. */
const char *names_spelling(size_t i, const void *context);
size_t names_spellings(void);

#endif

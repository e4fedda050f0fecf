/*
 * Names that one processor's events have in its manual (INST_RETIRED.ANY_P), by libpfm4 where it
 * is installed.  It is loaded when the first such name is met, into the command alone: a
 * profiled program is handed numbers.
 */
#ifndef RUNTIME_COMMAND_INSPECT_CPU_NAMES_H
#define RUNTIME_COMMAND_INSPECT_CPU_NAMES_H

#include <stddef.h>

struct lookup_code;

/* The code of a name, "EVENT", "EVENT.UMASK…" or "PMU::EVENT…".  Returns 0; -ENOSYS without the
 * library, -ENOENT if it does not know the name.  cpu_names_encode remembers it besides, for
 * cpu_names_used. */
int cpu_names_code(const char *name, struct lookup_code *code);
int cpu_names_encode(const char *name, struct lookup_code *code);

/* The name nearest to an unknown one, of this processor's; valid until the next call; NULL
 * without the library, or if none is near. */
const char *cpu_names_nearest(const char *name);

/* All that were encoded so far, as lookup_encoded() reads them; empty if none were. */
const char *cpu_names_used(void);

/* Call each(name, what it counts, context) for the events of this processor and their variants.
 * Returns their number; 0 without the library. */
unsigned cpu_names_each(void (*each)(const char *name, const char *about, void *context),
			void *context);

#endif

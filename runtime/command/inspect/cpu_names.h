/*
 * Event names from a processor's manual (INST_RETIRED.ANY_P), resolved by libpfm4 if it is
 * installed.  It is loaded at the first such name, into the command only: a profiled program
 * receives numbers.
 */
#ifndef RUNTIME_COMMAND_INSPECT_CPU_NAMES_H
#define RUNTIME_COMMAND_INSPECT_CPU_NAMES_H

struct lookup_code;

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

/* Writes the profile when a process ends without the launcher. */
#ifndef PRELOAD_PROCESS_PROCESS_END_H
#define PRELOAD_PROCESS_PROCESS_END_H

#include <stdbool.h>

struct spool_alloc;
struct settings;

enum process_end {
	PROCESS_END_ORDERLY, /* exit(3): the loader may be asked for names */
	PROCESS_END_SUDDEN,  /* _exit(2) */
	PROCESS_END_EARLY,   /* the target goes on */
};

/* Leave the profile to a parent that is profiled too and goes on.  Otherwise have the command write
 * it, and wait for that; without the command, write folded stacks.  Context: thread, sampling
 * stopped. */
void process_end_run(const struct settings *settings, enum process_end moment);

/* Before exec, with our state SPOOL_EXECED: pass the spools that children left to us on to our
 * parent, or have them written, and give our spool a name that the next image looks for.  Context:
 * thread. */
void process_end_before_exec(void);

/* Without the command: write STEM.folded from the spool of this process, or STEM.COUNTER.folded if
 * there are several counters.  Names come from dynamic symbol tables only; if `orderly`, dladdr(3)
 * may be called, else frames are named by module and offset.  Returns 0 or -errno.  Context:
 * thread, sampling stopped. */
int fallback_write(const struct spool_alloc *spool, bool orderly);

#endif

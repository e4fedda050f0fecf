/*
 * What happens to the spool when a process ends without the launcher.
 */
#ifndef PRELOAD_PROCESS_PROCESS_END_H
#define PRELOAD_PROCESS_PROCESS_END_H

#include <stdbool.h>

struct settings;

enum process_end {
	PROCESS_END_ORDERLY, /* exit(3): the loader may be asked for names */
	PROCESS_END_SUDDEN,  /* _exit(2) */
	PROCESS_END_EARLY,   /* the target goes on */
};

/* Leave the profile to a parent that is profiled too and goes on; else have the command write it,
 * and wait for it; or write folded stacks ourselves.  Context: thread, sampling stopped. */
void process_end_run(const struct settings *settings, enum process_end moment);

/* Before exec, with our state SPOOL_EXECED: what children left to us is passed on to our parent,
 * or written; our spool gets a name that the next image will look for.  Context: thread. */
void process_end_before_exec(void);

#endif

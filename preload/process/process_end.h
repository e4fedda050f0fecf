/*
 * Writes the profile when a process ends without the launcher.
 */
#ifndef PRELOAD_PROCESS_PROCESS_END_H
#define PRELOAD_PROCESS_PROCESS_END_H

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

#endif

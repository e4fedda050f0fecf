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

/* finisher.c runs `flametrap finish`, which writes profiles, without the target being able to
 * notice it. */

#define FINISHER_NOT_RUN 127
#define FINISHER_KILLED	 128 /* plus the signal's number */

/* Find the flametrap command: beside the library, or in ../bin.  Context: init. */
void finisher_find(void);

/* True if the command was found.  Context: any. */
bool finisher_is_there(void);

/* Have the command write the profiles of a spool or of a list of ended children, and of a second
 * one unless `second` is NULL.  Returns when that is done.  Call only if the command was found.
 * Returns its exit status, FINISHER_KILLED plus a signal, or FINISHER_NOT_RUN.  Context: thread,
 * sampling stopped. */
int finisher_run(const char *first, const char *second);

/* Execute the command in this process with nothing to write: it ends at once.  Returns if that
 * fails.  Context: a child of ours. */
void finisher_become(void);

/* exit_supervisor.c keeps a process that ends from disappearing until its profile has been written.
 * Its other threads end at once. */

/* Have a process that shares our memory call write(context) when the calling thread is on its way
 * out of the kernel and no other thread of the process runs.  Other processes see our end only
 * after that.  Returns true at once if this is arranged; the target may then go on to its end.
 * Returns false, and the caller writes, if there is no other thread or tracing is refused.
 * Context: thread, our last call in this process. */
bool exit_supervisor_start(void (*write)(void *context), void *context);

/* The target has named `pid` as the process that may trace it: prctl(2), PR_SET_PTRACER.
 * Context: thread. */
void exit_supervisor_note_tracer(unsigned long pid);

/*
 * Which process writes the profile of a process that ends.  A parent that is profiled too and goes
 * on takes over the spools of its children and has all of them written at its own end, so that
 * symbols are read once.  A process without such a parent has its profile written itself.
 */

enum child_spools {
	CHILD_SPOOLS_NOBODY, /* no process takes it: we write it */
	CHILD_SPOOLS_GIVEN,  /* the parent has it written */
	CHILD_SPOOLS_FULL,   /* as above, or it is time: we write it with the parent's list */
};

/* In the child of a fork, while the session is still the parent's: remember the parent.
 * Context: thread. */
void child_spools_fork(void);

/* Give a spool, or a list of ended children, to the parent.  If it was not given, *list is the list
 * in which others may have left theirs, to be written together with ours, or NULL.  Context:
 * thread, when our state is no longer SPOOL_RUNNING. */
enum child_spools child_spools_give(const char *path, const char **list);

/* The list of our own children that have ended, or NULL if there is none; valid until the next
 * call. Our state must no longer be SPOOL_RUNNING, which tells children that end from now on.
 * Context: thread. */
const char *child_spools_own_list(void);

/* Before exec: rename our spool to a name that the next image knows.  Context: thread. */
void child_spools_number_image(void);

/* True if an earlier image of this process left a spool under such a name.  Context: thread. */
bool child_spools_has_images(void);

#endif

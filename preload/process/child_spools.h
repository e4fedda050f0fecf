/*
 * Which process writes the profile of a process that ends.  A parent that is profiled too and goes
 * on takes over the spools of its children and has all of them written at its own end, so that
 * symbols are read once.  A process without such a parent has its profile written itself.
 */
#ifndef PRELOAD_PROCESS_CHILD_SPOOLS_H
#define PRELOAD_PROCESS_CHILD_SPOOLS_H

#include <stdbool.h>

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

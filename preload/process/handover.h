/*
 * Who writes the profile of a process that ends: a parent that is profiled too and goes on takes
 * over what its children leave, and has all of it written at its own end, so that symbols are read
 * once and not for each.  Only where there is no such parent the process itself sees to it.
 */
#ifndef PRELOAD_PROCESS_HANDOVER_H
#define PRELOAD_PROCESS_HANDOVER_H

#include <stdbool.h>

enum handover {
	HANDOVER_NOBODY, /* nobody takes it: it is ours to write */
	HANDOVER_GIVEN,	 /* the parent sees to it */
	HANDOVER_FULL,	 /* nobody either, or it is time: ours to write, with the parent's list */
};

/* In the child of a fork, while the session is still the parent's: remember whose child it is.
 * Context: thread. */
void handover_fork(void);

/* Give a spool, or a list of ended children, to the parent.  Unless it was given, *list is where
 * others may have left theirs, to be written together with ours; NULL if there is none.
 * Context: thread, our state is no longer SPOOL_RUNNING. */
enum handover handover_give(const char *path, const char **list);

/* The list of our own children that have ended; NULL where there is none.  Those that end from now
 * on see that we have: so our state is no longer SPOOL_RUNNING.  Valid until the next call.
 * Context: thread. */
const char *handover_own_list(void);

/* Before exec: our spool gets a name that the next image knows.  Context: thread. */
void handover_number_image(void);

/* True if an earlier image of this process left a spool under such a name.  Context: thread. */
bool handover_has_images(void);

#endif

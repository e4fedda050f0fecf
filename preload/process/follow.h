/*
 * Which processes are profiled: the first one always, its children as FLAMETRAP_FOLLOW says.
 */
#ifndef PRELOAD_PROCESS_FOLLOW_H
#define PRELOAD_PROCESS_FOLLOW_H

#include <stdbool.h>

struct settings;

/* Remember who started this image.  Call before the others.  Context: init. */
void follow_begin(void);

/* Is this new image to be profiled?  Context: init. */
bool follow_start(const struct settings *settings);

/* Is the child of a fork, in the same image, to be profiled?  Context: fork child. */
bool follow_fork(const struct settings *settings);

/* True if nobody above profiles: neither did our parent load this library, nor are we the orphan
 * of one that may have.  Context: thread. */
bool follow_is_first(void);

/* The same as far as it can be known by calls that no sandbox kills for, as the loader makes them:
 * an orphan counts as first.  Context: init. */
bool follow_may_be_first(void);

#endif

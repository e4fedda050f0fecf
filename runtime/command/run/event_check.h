/*
 * Checks before a run starts whether any of its events can be counted here.
 */
#ifndef RUNTIME_COMMAND_RUN_EVENT_CHECK_H
#define RUNTIME_COMMAND_RUN_EVENT_CHECK_H

#include <stddef.h>

struct settings;

/* Try the events that the user named, on the calling thread.  A list is refused only if the
 * program, with our permissions at most, could open none of its events either.  It is not refused
 * if a timer would replace it, or if the result depends on the program (a symbol, a free register).
 * Returns 0; or -errno with `line` filled: event, cause, remedy. */
int event_check(const struct settings *settings, char *line, size_t bytes);

#endif

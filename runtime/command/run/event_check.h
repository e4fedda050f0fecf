/*
 * Whether anything that a run is to count can be counted here, found out before it starts.
 */
#ifndef RUNTIME_COMMAND_RUN_EVENT_CHECK_H
#define RUNTIME_COMMAND_RUN_EVENT_CHECK_H

#include <stddef.h>

struct settings;

/* Try the events that the user named, on the calling thread.  Refused is only a list of which the
 * program, with no more rights than ours, could open nothing either; where a timer would stand in,
 * or the answer depends on the program (a symbol, a free register), it is not.
 * Returns 0; or -errno with `line` filled: event, cause, remedy. */
int event_check(const struct settings *settings, char *line, size_t bytes);

#endif

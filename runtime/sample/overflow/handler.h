/* The overflow handler: the only code of the profiler that runs while the target is measured. */
#ifndef RUNTIME_SAMPLE_OVERFLOW_HANDLER_H
#define RUNTIME_SAMPLE_OVERFLOW_HANDLER_H

#include <signal.h>
#include <stdbool.h>

/* Install the handler for session.signal.  Returns 0 or -errno.  Context: init. */
int handler_install(void);

/* Returns true if the action is our handler.  Context: any. */
bool handler_is(const struct sigaction *action);

#endif

/*
 * The overflow handler: the only code of ours that runs while the target is being measured.
 */
#ifndef RUNTIME_SAMPLE_HANDLER_H
#define RUNTIME_SAMPLE_HANDLER_H

#include <signal.h>
#include <stdbool.h>

/* Install the handler of session.signal.  Returns 0 or -errno.  Context: init. */
int handler_install(void);

/* Is this action our handler?  Context: any. */
bool handler_is(const struct sigaction *action);

#endif

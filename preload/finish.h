/*
 * What happens to the spool when a process ends without the launcher.
 */
#ifndef PRELOAD_FINISH_H
#define PRELOAD_FINISH_H

#include <stdbool.h>

struct settings;

/* Find the flametrap command: beside the library, or in ../bin.  Context: init. */
void finish_find_command(void);

/* Have the command write the profile, and wait for it; or write folded stacks ourselves.
 * `orderly`: the loader may be asked for names.  Context: thread, sampling stopped. */
void finish_run(const struct settings *settings, bool orderly);

#endif

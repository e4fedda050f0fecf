/*
 * The environment, read once and early: the only place that looks at it.  getenv may be
 * replaced by the target (bash has its own), so environ itself is read.
 */
#ifndef CONFIG_ENV_H
#define CONFIG_ENV_H

#include <stddef.h>

#include "config/settings.h"

struct settings;

/* Read every FLAMETRAP_* variable of a NULL-terminated environment into *settings, which has
 * its defaults, and settings_check them.  FLAMETRAP=off or =help ends the reading: nothing else
 * is looked at.  Unknown ones are reported through warn, which may be NULL (once each, with the
 * nearest name; not where FLAMETRAP_COLLECT is set, since the launcher has done so).
 * FLAMETRAP_STRICT is read first: settings->strict holds after an error in another one.
 * Returns 0; or -EINVAL at the first bad value with `line` filled (see settings_set).
 * Context: init. */
int env_read(struct settings *settings, char *const *environment, void (*warn)(const char *line),
	     char *line, size_t bytes);

/* Value of one variable in an environment; NULL if it is not there.  Context: any. */
const char *env_get(char *const *environment, const char *name);

#endif

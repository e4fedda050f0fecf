/*
 * The settings out of an environment, read once and early.
 */
#ifndef CONFIG_SETTINGS_SETTINGS_ENV_H
#define CONFIG_SETTINGS_SETTINGS_ENV_H

#include <stddef.h>

#include "config/settings/settings.h"

/* Read every FLAMETRAP_* variable of a NULL-terminated environment into *settings, which has
 * its defaults, and settings_check them.  FLAMETRAP=off or =help ends the reading: nothing else
 * is looked at.  Unknown ones are reported through warn, which may be NULL (once each, with the
 * nearest name; not where FLAMETRAP_COLLECT is set, since the launcher has done so).
 * FLAMETRAP_STRICT is read first: settings->strict holds after an error in another one.
 * Returns 0; or -EINVAL at the first bad value with `line` filled (see settings_set).
 * Context: init. */
int settings_env_read(struct settings *settings, char *const *environment,
		      void (*warn)(const char *line), char *line, size_t bytes);

#endif

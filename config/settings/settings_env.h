/*
 * Settings from an environment, read once and early.
 */
#ifndef CONFIG_SETTINGS_SETTINGS_ENV_H
#define CONFIG_SETTINGS_SETTINGS_ENV_H

#include <stddef.h>

#include "config/settings/settings.h"

/* Read every FLAMETRAP_* variable of a NULL-terminated environment into *settings, which holds
 * its defaults, and check them with settings_check().  After FLAMETRAP=off or =help nothing else
 * is read.  Unknown variables are reported through `warn`, once each, with the nearest name.
 * There is no report if `warn` is NULL, or if FLAMETRAP_COLLECT is set, because the launcher has
 * reported them.  FLAMETRAP_STRICT is read first: settings->strict is valid even after an error
 * in another variable.  Returns 0, or -EINVAL at the first bad value with `line` filled (see
 * settings_set()).  Context: init. */
int settings_env_read(struct settings *settings, char *const *environment,
		      void (*warn)(const char *line), char *line, size_t bytes);

#endif

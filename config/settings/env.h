/*
 * The environment: the only place that looks at it.  getenv may be replaced by the target (bash has
 * its own), so environ itself is read.
 */
#ifndef CONFIG_SETTINGS_ENV_H
#define CONFIG_SETTINGS_ENV_H

#include <stddef.h>

/* Value of one variable in a NULL-terminated environment; NULL if it is not there.  Context: any.
 */
const char *env_get(char *const *environment, const char *name);

/* The value in an entry "NAME=value" if its name is the `length` bytes of `name`; else NULL.
 * Context: any. */
const char *env_value(const char *entry, const char *name, size_t length);

#endif

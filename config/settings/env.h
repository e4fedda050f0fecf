/*
 * The environment.  No other file reads it.  The target may replace getenv (bash has its own), so
 * environ itself is read.
 */
#ifndef CONFIG_SETTINGS_ENV_H
#define CONFIG_SETTINGS_ENV_H

#include <stddef.h>

/* The value of a variable in a NULL-terminated environment, or NULL if it is not set.  Context:
 * any. */
const char *env_get(char *const *environment, const char *name);

/* The value in an entry "NAME=value" if its name is the `length` bytes of `name`; otherwise
 * NULL.  Context: any. */
const char *env_value(const char *entry, const char *name, size_t length);

#endif

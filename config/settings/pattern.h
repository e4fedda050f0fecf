/*
 * Output patterns: %p pid, %e executable, %h host, %t seconds since 1970, %n sequence,
 * %{VAR} environment variable, %% per cent.
 */
#ifndef CONFIG_SETTINGS_PATTERN_H
#define CONFIG_SETTINGS_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "config/text/scan.h"

/* Values of the placeholders.  The texts need not outlive the call. */
struct pattern_values {
	unsigned pid;
	const char *executable; /* base name */
	const char *host;
	uint64_t seconds;
	unsigned sequence;
	char *const *environment; /* for %{VAR}; an unset variable is empty */
};

/* Check a pattern.  Returns 0, or -EINVAL with *complaint filled.  Context: any. */
int pattern_check(const char *pattern, struct complaint *complaint);

/* Resolve a checked pattern into `out`, of `bytes` bytes.  A `/` in a value becomes `_`.
 * Returns 0, or -ENAMETOOLONG.  Context: any. */
int pattern_resolve(const char *pattern, const struct pattern_values *values, char *out,
		    size_t bytes);

#endif

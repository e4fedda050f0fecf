/*
 * Shell patterns for names: '*', '?', '[a-z]', '[!a-z]', and '\' before a literal character.
 * Bytes are compared, so that the result does not depend on the target's locale.
 */
#ifndef CONFIG_TEXT_GLOB_H
#define CONFIG_TEXT_GLOB_H

#include <stdbool.h>

#include "config/text/scan.h"

/* Check a pattern.  Returns 0, or -EINVAL with *complaint filled.  Context: any. */
int glob_check(const char *pattern, struct complaint *complaint);

/* True if the checked pattern matches the whole name.  Context: any. */
bool glob_match(const char *pattern, const char *name);

#endif

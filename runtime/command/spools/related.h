/*
 * Determines which spools belong together.
 */
#ifndef RUNTIME_COMMAND_SPOOLS_RELATED_H
#define RUNTIME_COMMAND_SPOOLS_RELATED_H

#include <stddef.h>

/* Check whether the spools among these paths are of one command: of one executable and name, of one
 * run (one directory of a run, one stem of files that a run kept, one output), or one started by
 * the other.  Paths with the same number in `group` belong together; files that are no spools do
 * not count.  Returns 0; -EINVAL after a message with two unrelated ones; or -ENOMEM. */
int related_check(char *const *paths, const unsigned *group, size_t count);

#endif

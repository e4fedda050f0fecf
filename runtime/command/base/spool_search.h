/*
 * Where spools are looked for: $FLAMETRAP_SPOOL, /dev/shm, the working directory, and the
 * private directories of runs below them.
 */
#ifndef RUNTIME_COMMAND_BASE_SPOOL_SEARCH_H
#define RUNTIME_COMMAND_BASE_SPOOL_SEARCH_H

#include <stdbool.h>

#include "runtime/fold/spool/spool_files.h"

/* Which private directories count: those of commands that were killed, or of running ones too. */
enum spool_search_scope {
	SPOOL_SEARCH_LEFT,
	SPOOL_SEARCH_ALL,
};

/* Add the caller's own spools in `directory`, which must be there, or where it is NULL in the
 * usual places, which need not.  Returns 0, or -errno with what was found so far in *files;
 * what is wrong with `directory` was said. */
int spool_search(struct spool_files *files, const char *directory, enum spool_search_scope scope);

#endif

/*
 * Searches the places of spools: $FLAMETRAP_SPOOL, /dev/shm, the working directory, and the private
 * directories of runs below them.
 */
#ifndef RUNTIME_COLLECT_SPOOL_SEARCH_H
#define RUNTIME_COLLECT_SPOOL_SEARCH_H

#include "runtime/profile/spool/spool_files.h"

/* Selects the private directories: of commands that were killed, or also of running ones. */
enum spool_search_scope {
	SPOOL_SEARCH_LEFT,
	SPOOL_SEARCH_ALL,
};

/* Add the caller's own spools in `directory`, which must exist; or, if it is NULL, in the usual
 * places, which need not exist.  Returns 0, or -errno with the spools found so far in *files; an
 * error with `directory` has been reported. */
int spool_search(struct spool_files *files, const char *directory, enum spool_search_scope scope);

/* Print in one line how many profiles this user has in $FLAMETRAP_SPOOL and /dev/shm that were
 * never written, of processes that were killed or ended by a raw exit_group, or whose writer was
 * killed; nothing if there are none.  The line says "at least" if there are more spools than are
 * examined. */
void spool_search_unfinished(void);

#endif

/*
 * Finds profiles that were never written: of processes that were killed or ended by a raw
 * exit_group, or whose writer was killed.
 */
#ifndef RUNTIME_COLLECT_UNFINISHED_H
#define RUNTIME_COLLECT_UNFINISHED_H

/* Print in one line how many this user has in $FLAMETRAP_SPOOL and /dev/shm; nothing if there are
 * none.  The line says "at least" if there are more spools than are examined. */
void unfinished_say(void);

#endif

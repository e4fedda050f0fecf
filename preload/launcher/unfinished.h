/*
 * Profiles that nobody wrote: of processes that were killed, or left by a raw exit_group.
 */
#ifndef PRELOAD_LAUNCHER_UNFINISHED_H
#define PRELOAD_LAUNCHER_UNFINISHED_H

/* Say in one line how many of this user's there are in a directory, or where that is NULL in
 * $FLAMETRAP_SPOOL and /dev/shm; nothing if there are none.  "at least" where there are more spools
 * than are looked at. */
void unfinished_say(const char *directory);

#endif

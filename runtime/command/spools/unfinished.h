/*
 * Profiles that nobody wrote: of processes that were killed, left by a raw exit_group, or whose
 * writer was killed.
 */
#ifndef RUNTIME_COMMAND_SPOOLS_UNFINISHED_H
#define RUNTIME_COMMAND_SPOOLS_UNFINISHED_H

/* Say in one line how many of this user's there are in $FLAMETRAP_SPOOL and /dev/shm; nothing if
 * there are none.  "at least" where there are more spools than are looked at. */
void unfinished_say(void);

#endif

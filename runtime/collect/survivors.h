/*
 * The processes of a run that go on when the program has ended: daemons, servers started by a
 * script, children in the background.
 */
#ifndef RUNTIME_COLLECT_SURVIVORS_H
#define RUNTIME_COLLECT_SURVIVORS_H

#include <stdint.h>
#include <sys/types.h>

#include "runtime/profile/spool/spool_files.h"

#define SURVIVORS_NAME_BYTES 64

struct survivors {
	unsigned count;
	pid_t pid;			 /* of one of them; 0 if it is in another pid namespace */
	char name[SURVIVORS_NAME_BYTES]; /* its name, as /proc/PID/comm has it */
};

/* Find the processes of the run whose spools are in `directory`: those whose spool does not
 * say that they ended (`states` has the state in the header of each of `files`, 0 without
 * one), and those that have not made their spool yet, such as the child of daemon(3) when its
 * parent has just ended.  The latter are known by FLAMETRAP_SPOOL in the environment that they were
 * started with (proc(5)); those of other users are seen by root only.  Sets `live` in `files`.
 * Without memory or /proc, fewer are found.
 */
void survivors_find(struct survivors *survivors, struct spool_files *files, const uint32_t *states,
		    const char *directory);

#endif

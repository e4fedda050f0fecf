/*
 * Calls by which the program gives up rights, as a server does that is started by root: its user,
 * its capabilities, or the user namespace in which it has them.
 *
 * Where only the privileged may sample the kernel's side (kernel.perf_event_paranoid), a counter
 * that has its first period cannot be replaced afterwards.  So its successor is opened before.
 * That is done for the calling thread alone, also where libc changes the user of all threads.
 */
#include <sched.h>
#include <unistd.h>

#include "preload/libc/real.h"
#include "runtime/sample/rate/reopen.h"

/* libcap declares it; libc only has it. */
int capset(void *header, const void *data);

#define DEFINE_RIGHTS(name, parameters, arguments) \
	int name parameters                        \
	{                                          \
		reopen_first_prepare();            \
		return real()->name arguments;     \
	}

DEFINE_RIGHTS(setuid, (uid_t user), (user))
DEFINE_RIGHTS(seteuid, (uid_t effective), (effective))
DEFINE_RIGHTS(setreuid, (uid_t user, uid_t effective), (user, effective))
DEFINE_RIGHTS(setresuid, (uid_t user, uid_t effective, uid_t saved), (user, effective, saved))
DEFINE_RIGHTS(capset, (void *header, const void *data), (header, data))
DEFINE_RIGHTS(setns, (int descriptor, int type), (descriptor, type))

int unshare(int flags)
{
	if (flags & CLONE_NEWUSER)
		reopen_first_prepare();
	return real()->unshare(flags);
}

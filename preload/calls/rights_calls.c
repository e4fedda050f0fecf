/*
 * Calls by which the program gives up rights, as a server does that is started by root: its user,
 * its capabilities, or the user namespace in which it has them.
 *
 * Where only the privileged may sample the kernel's side (kernel.perf_event_paranoid), a counter
 * that has its first period cannot be replaced afterwards.  So its successor is opened before.
 * That is done for the calling thread alone, also where libc changes the user of all threads.
 */
#include "preload/calls/rights_calls.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/libc/real.h"
#include "runtime/sample/rate/reopen.h"

/* libcap declares it; libc only has it. */
int capset(void *header, const void *data);

void rights_calls_before(long number, long first)
{
	if (number != SYS_unshare || first & CLONE_NEWUSER)
		reopen_first_prepare();
}

int setuid(uid_t user)
{
	rights_calls_before(SYS_setuid, 0);
	return real()->setuid(user);
}

int seteuid(uid_t effective)
{
	rights_calls_before(SYS_setresuid, 0);
	return real()->seteuid(effective);
}

int setreuid(uid_t user, uid_t effective)
{
	rights_calls_before(SYS_setreuid, 0);
	return real()->setreuid(user, effective);
}

int setresuid(uid_t user, uid_t effective, uid_t saved)
{
	rights_calls_before(SYS_setresuid, 0);
	return real()->setresuid(user, effective, saved);
}

int capset(void *header, const void *data)
{
	rights_calls_before(SYS_capset, 0);
	return real()->capset(header, data);
}

int unshare(int flags)
{
	rights_calls_before(SYS_unshare, flags);
	return real()->unshare(flags);
}

int setns(int descriptor, int type)
{
	rights_calls_before(SYS_setns, 0);
	return real()->setns(descriptor, type);
}

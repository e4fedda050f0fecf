/*
 * Calls that enter a sandbox, states of a thread in which we cannot go on as before, and process
 * ends by system call number.
 *
 * Under seccomp(2) any system call of ours may kill the target: in the handler, at a thread's
 * start or at the end.  A filter cannot be asked what it allows, so the profile of the process
 * ends where its sandbox begins.  A NULL filter only asks whether the kernel supports filters.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "preload/libc/entry.h"
#include "preload/libc/real.h"
#include "preload/signals/syscall_dispatch.h"
#include "preload/process/process_end.h"
#include "preload/calls/by_number.h"
#include "preload/process/image.h"
#include "preload/process/process.h"
#include "preload/signals/signal_by_number.h"
#include "runtime/sample/rate/reopen.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/session/thread.h"

#define ARGUMENTS 6
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59 /* Linux 5.11 */
#endif

static bool is_sandbox(unsigned long strict, unsigned long filter, unsigned long mode,
		       unsigned long program)
{
	return mode == strict || (mode == filter && program);
}

/* The program called prctl, or syscall with its number. */
static int pass(bool by_number, int option, const unsigned long argument[4])
{
	if (by_number)
		return (int)real()->syscall(SYS_prctl, (long)option, argument[0], argument[1],
					    argument[2], argument[3], 0L);
	return real()->prctl(option, argument[0], argument[1], argument[2], argument[3]);
}

static int pass_dispatch(bool by_number, const unsigned long argument[4])
{
	bool out = syscall_dispatch_before(argument);
	int result = pass(by_number, PR_SET_SYSCALL_USER_DISPATCH, argument);
	int saved = errno;

	syscall_dispatch_after(argument, out, result == 0);
	errno = saved;
	return result;
}

/* These options apply to all counters that the thread opened, including ours. */
static int pass_counters(bool by_number, int option, const unsigned long argument[4])
{
	bool off = option == PR_TASK_PERF_EVENTS_DISABLE;
	int result;

	if (!off)
		reopen_first_forget();
	result = pass(by_number, option, argument);
	if (thread_self && !result) {
		thread_self->pause.disabled = off ? thread_self->tid : 0;
		if (off && session.plan.engine != SPOOL_ENGINE_TIMER)
			session_spool_note("the program switched off the counters of a thread "
					   "(PR_TASK_PERF_EVENTS_DISABLE)");
	}
	return result;
}

static int pass_tracer(bool by_number, const unsigned long argument[4])
{
	int result = pass(by_number, PR_SET_PTRACER, argument);

	if (!result)
		exit_supervisor_note_tracer(argument[0]);
	return result;
}

/* Other options are passed by a tail call: after PR_PAC_RESET_KEYS no function could return
 * whose return address was signed before. */
static int pass_prctl(bool by_number, int option, const unsigned long argument[4])
{
	if (option == PR_SET_SYSCALL_USER_DISPATCH)
		return pass_dispatch(by_number, argument);
	if (option == PR_TASK_PERF_EVENTS_DISABLE || option == PR_TASK_PERF_EVENTS_ENABLE)
		return pass_counters(by_number, option, argument);
	if (option == PR_SET_PTRACER)
		return pass_tracer(by_number, argument);
	if (option == PR_SET_TSC && argument[0] == PR_TSC_SIGSEGV)
		sys_avoid_cycles();
	if (option == PR_SET_SECCOMP &&
	    is_sandbox(SECCOMP_MODE_STRICT, SECCOMP_MODE_FILTER, argument[0], argument[1]))
		process_retire();
	return pass(by_number, option, argument);
}

int prctl(int option, ...)
{
	unsigned long argument[4];
	va_list list;

	va_start(list, option);
	for (unsigned i = 0; i < 4; i++)
		argument[i] = va_arg(list, unsigned long);
	va_end(list);
	return pass_prctl(false, option, argument);
}

long entry_syscall(long number, ...)
{
	long argument[ARGUMENTS], result;
	va_list list;

	va_start(list, number);
	for (unsigned i = 0; i < ARGUMENTS; i++)
		argument[i] = va_arg(list, long);
	va_end(list);
	switch (number) {
	case SYS_seccomp:
		if (is_sandbox(SECCOMP_SET_MODE_STRICT, SECCOMP_SET_MODE_FILTER,
			       (unsigned long)argument[0], (unsigned long)argument[2]))
			process_retire();
		break;
	case SYS_mlockall:
		return mlockall((int)argument[0]);
	case SYS_setrlimit:
		by_number_limit(0, (int)argument[0], (const void *)argument[1]);
		break;
	case SYS_prlimit64:
		by_number_limit((pid_t)argument[0], (int)argument[1], (const void *)argument[2]);
		break;
	case SYS_setuid:
	case SYS_setreuid:
	case SYS_setresuid:
	case SYS_capset:
	case SYS_setns:
		reopen_first_prepare();
		break;
	case SYS_unshare:
		if (argument[0] & CLONE_NEWUSER)
			reopen_first_prepare();
		break;
	case SYS_prctl:
		return pass_prctl(true, (int)argument[0], (const unsigned long *)argument + 1);
	case SYS_execve:
		return by_number_exec(number, argument, AT_FDCWD, argument);
	case SYS_execveat:
		return by_number_exec(number, argument, (int)argument[0], argument + 1);
	case SYS_landlock_restrict_self:
		own_file_may_be_closed();
		break;
	case SYS_ptrace:
		by_number_trace(argument[0]);
		break;
	case SYS_exit_group:
		process_finish(NULL);
		break;
	default:
		if (signal_by_number(number, argument, &result))
			return result;
		break;
	}
	return signal_by_number_pass(number, argument);
}

/*
 * Calls by which the program gives up rights, as a server does that is started by root: its user,
 * its capabilities, or the user namespace in which it has them.
 *
 * Where only the privileged may sample the kernel's side (kernel.perf_event_paranoid), a counter
 * that has its first period cannot be replaced afterwards.  So its successor is opened before.
 * That is done for the calling thread alone, also where libc changes the user of all threads.
 */

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

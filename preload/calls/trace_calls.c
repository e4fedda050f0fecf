/*
 * ptrace(2).  A thread that becomes a tracee stops for each of its signals, and its tracer takes
 * the first SIGTRAP for the end of exec or for a breakpoint.  So sampling ends before
 * PTRACE_TRACEME.  What the process executes is sampled by timers, because it is traced when it
 * starts (engine.c).
 *
 * A tracer that is profiled itself would take the samples of a tracee that it attached to for
 * breakpoints.  So its wait calls do not report a stop for a sample: the tracee goes on with its
 * signal, as the tracer last had it go on, and notices the tracer (session/tracer.c).  If the
 * tracer lets the tracee make single steps, one SIGTRAP is like the other.  In all other processes,
 * each wait call is a jump to the real one.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "preload/libc/real.h"
#include "preload/process/process.h"
#include "preload/calls/by_number.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/proc.h"

/* A process that is traced already gets EPERM, and goes on. */
void by_number_trace(long request)
{
	if (request == PTRACE_TRACEME && session_is_here() && !proc_is_traced())
		process_leave_to_tracer();
}

#define TRACEES 256 /* known at once; of others all stops are shown */

static _Atomic uint64_t requests[TRACEES]; /* a tracee, and the last request for it */
static _Atomic uint32_t on;

static bool is_on(void)
{
	return atomic_load_explicit(&on, memory_order_relaxed);
}

/* A tracee has to stand still for all requests but PTRACE_INTERRUPT, so the last one before a stop
 * is that by which it went on. */
static void note(long request, pid_t tid)
{
	if (request == PTRACE_ATTACH || request == PTRACE_SEIZE)
		atomic_store_explicit(&on, 1, memory_order_relaxed);
	if (is_on() && request != PTRACE_INTERRUPT)
		atomic_store_explicit(&requests[(uint32_t)tid % TRACEES],
				      (uint64_t)(uint32_t)tid << 32 | (uint32_t)request,
				      memory_order_relaxed);
}

/* Returns the request by which a tracee goes on as before, or PTRACE_TRACEME if that is not known,
 * or is a step. */
static enum __ptrace_request last_request(pid_t tid)
{
	uint64_t noted =
		atomic_load_explicit(&requests[(uint32_t)tid % TRACEES], memory_order_relaxed);

	if (noted >> 32 != (uint32_t)tid)
		return PTRACE_TRACEME;
	switch ((uint32_t)noted) {
	case PTRACE_ATTACH: /* it runs on until its stop */
	case PTRACE_SEIZE:
	case PTRACE_CONT:
		return PTRACE_CONT;
	case PTRACE_SYSCALL:
		return PTRACE_SYSCALL;
	default:
		return PTRACE_TRACEME;
	}
}

/* `status` is that of wait(2) for a task that the calling thread may trace.  If it stopped for a
 * sample, and its tracer last let it run on, it goes on with the signal.  Returns whether it does;
 * keeps errno. */
static bool hides(pid_t tid, int status)
{
	enum __ptrace_request request = last_request(tid);
	int saved = errno;
	siginfo_t info;
	bool hidden;

	if (status != W_STOPCODE(SIGTRAP) || request == PTRACE_TRACEME)
		return false;
	hidden = !real()->ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) && siginfo_is_ours(&info) &&
		 !real()->ptrace(request, tid, NULL, (void *)(intptr_t)SIGTRAP);
	errno = saved;
	return hidden;
}

long ptrace(enum __ptrace_request request, ...)
{
	void *argument[4];
	va_list list;
	long result;

	va_start(list, request);
	for (unsigned i = 0; i < 4; i++)
		argument[i] = va_arg(list, void *);
	va_end(list);
	by_number_trace(request);
	result = real()->ptrace(request, argument[0], argument[1], argument[2], argument[3]);
	if (!result)
		note(request, (pid_t)(intptr_t)argument[0]);
	return result;
}

/* `place` is where the status goes, which only the kernel checks; without one it is still read. */
#define DEFINE_WAIT(name, parameters, place, arguments)                \
	pid_t name parameters                                          \
	{                                                              \
		int own, *status = place;                              \
		pid_t found;                                           \
                                                                       \
		if (is_on() && !status)                                \
			status = &own;                                 \
		do                                                     \
			found = real()->name arguments;                \
		while (found > 0 && is_on() && hides(found, *status)); \
		return found;                                          \
	}

DEFINE_WAIT(wait, (int *given), given, (status))
DEFINE_WAIT(waitpid, (pid_t pid, int *given, int options), given, (pid, status, options))
DEFINE_WAIT(wait3, (int *given, int options, struct rusage *usage), given, (status, options, usage))
DEFINE_WAIT(wait4, (pid_t pid, int *given, int options, struct rusage *usage), given,
	    (pid, status, options, usage))

/* With WNOWAIT the stop stays to be waited for. */
static bool is_hidden(const siginfo_t *info, int options)
{
	return info && !(options & WNOWAIT) && info->si_code == CLD_TRAPPED &&
	       hides(info->si_pid, W_STOPCODE(info->si_status));
}

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	int result;

	do
		result = real()->waitid(type, id, info, options);
	while (!result && is_on() && is_hidden(info, options));
	return result;
}

/*
 * ptrace(2).  A thread that becomes a tracee stops for each of its signals, and its tracer takes
 * the first SIGTRAP for the end of exec or for a breakpoint.  So sampling ends before
 * PTRACE_TRACEME.  What the process executes is sampled by timers, because it is traced when it
 * starts (engine.c).
 *
 * A tracer that is profiled itself is not shown the samples of a tracee that it attached to
 * (trace_wait_calls.c), unless it lets the tracee make single steps: there one SIGTRAP is like the
 * other.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "preload/libc/real.h"
#include "preload/process/process.h"
#include "preload/calls/trace_calls.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/proc.h"

/* A process that is traced already gets EPERM, and goes on. */
void trace_begin(long request)
{
	if (request == PTRACE_TRACEME && session_is_here() && !proc_is_traced())
		process_leave_to_tracer();
}

#define TRACEES 256 /* known at once; of others all stops are shown */

static _Atomic uint64_t requests[TRACEES]; /* a tracee, and the last request for it */
static _Atomic uint32_t on;

bool trace_is_on(void)
{
	return atomic_load_explicit(&on, memory_order_relaxed);
}

/* A tracee has to stand still for all requests but PTRACE_INTERRUPT, so the last one before a stop
 * is that by which it went on. */
static void note(long request, pid_t tid)
{
	if (request == PTRACE_ATTACH || request == PTRACE_SEIZE)
		atomic_store_explicit(&on, 1, memory_order_relaxed);
	if (trace_is_on() && request != PTRACE_INTERRUPT)
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

bool trace_hides(pid_t tid, int status)
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
	trace_begin(request);
	result = real()->ptrace(request, argument[0], argument[1], argument[2], argument[3]);
	if (!result)
		note(request, (pid_t)(intptr_t)argument[0]);
	return result;
}

/*
 * ptrace(2).  A thread that becomes a tracee stops for each of its signals, and its tracer takes
 * the first SIGTRAP for the end of exec or for a breakpoint.  So sampling ends before
 * PTRACE_TRACEME.  What the process executes is sampled by timers, because it is traced when it
 * starts (engine.c).
 */
#include <stdarg.h>
#include <sys/ptrace.h>

#include "preload/libc/real.h"
#include "preload/process/process.h"
#include "preload/process/trace_calls.h"
#include "runtime/sample/session.h"
#include "runtime/sample/sys/proc.h"

/* A process that is traced already gets EPERM, and goes on. */
void trace_begin(long request)
{
	if (request == PTRACE_TRACEME && session_is_here() && !proc_is_traced())
		process_leave_to_tracer();
}

long ptrace(enum __ptrace_request request, ...)
{
	void *argument[4];
	va_list list;

	va_start(list, request);
	for (unsigned i = 0; i < 4; i++)
		argument[i] = va_arg(list, void *);
	va_end(list);
	trace_begin(request);
	return real()->ptrace(request, argument[0], argument[1], argument[2], argument[3]);
}

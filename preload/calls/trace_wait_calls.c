/*
 * The wait calls of a tracer.  A tracee that it attached to may be sampled by SIGTRAP, which the
 * tracer would take for a breakpoint.  So a stop for a sample is not reported: the tracee goes on
 * with its signal, as the tracer last had it go on, and notices the tracer
 * (runtime/sample/session/tracer.h). In all other processes, each function is a jump to the real
 * one.
 */
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "preload/libc/real.h"
#include "preload/calls/trace_calls.h"

/* `place` is where the status goes, which only the kernel checks; without one it is still read. */
#define DEFINE_WAIT(name, parameters, place, arguments)                            \
	pid_t name parameters                                                      \
	{                                                                          \
		int own, *status = place;                                          \
		pid_t found;                                                       \
                                                                                   \
		if (trace_is_on() && !status)                                      \
			status = &own;                                             \
		do                                                                 \
			found = real()->name arguments;                            \
		while (found > 0 && trace_is_on() && trace_hides(found, *status)); \
		return found;                                                      \
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
	       trace_hides(info->si_pid, W_STOPCODE(info->si_status));
}

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	int result;

	do
		result = real()->waitid(type, id, info, options);
	while (!result && trace_is_on() && is_hidden(info, options));
	return result;
}

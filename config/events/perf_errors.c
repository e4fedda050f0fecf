/*
 * The errors in the order of perf_event_open(2), ERRORS, and after them those of mmap(2) of a
 * counter.
 */
#include "config/events/perf_errors.h"

#include <errno.h>

#define ROW(name, cause, remedy)           \
	{                                  \
		name, #name, cause, remedy \
	}
#define OURS(code, cause, remedy)         \
	{                                 \
		code, NULL, cause, remedy \
	}

const struct perf_error perf_errors_table[] = {
	ROW(E2BIG, "this kernel does not know all that was asked of perf_event_attr",
	    "SIGTRAP on overflow needs Linux 5.13; FLAMETRAP_NOTIFY=sigio works without it"),
	ROW(EACCES, "permission denied",
	    "sysctl kernel.perf_event_paranoid=1 or CAP_PERFMON allows it; :u needs less"),
	ROW(EBADF, "the program closed the descriptor of the group's leader",
	    "it must not close descriptors that it did not open while its threads start"),
	ROW(EBUSY, "another event holds the PMU exclusively", "end the other profiler"),
	ROW(EFAULT,
	    "the kernel cannot read the event's text, or a seccomp filter returns a false error",
	    NULL),
	ROW(EINTR, "perf and ftrace cannot share this uprobe",
	    "remove the ftrace probe at the same place"),
	ROW(EINVAL,
	    "the kernel does not know this form of event, or the PMU has no room for the group",
	    "ask for fewer events in a group; SIGTRAP on overflow needs Linux 5.13"),
	ROW(EMFILE, "this process has no free file descriptor", "raise ulimit -n"),
	ROW(ENODEV, "this processor has no such counter", "-e task-clock works everywhere"),
	ROW(ENOENT, "this machine has no such counter", "-e task-clock works everywhere"),
	ROW(ENOSPC, "all breakpoint registers are taken",
	    "ask for fewer breakpoints, or end the debugger that holds them"),
	ROW(ENOSYS, "this kernel has no perf_event_open", "use a kernel with CONFIG_PERF_EVENTS"),
	ROW(EOPNOTSUPP, "the PMU does not support this event, or cannot interrupt",
	    "drop p modifiers; -e task-clock works everywhere"),
	ROW(EOVERFLOW, "the kernel keeps shorter stacks than asked for",
	    "raise sysctl kernel.perf_event_max_stack"),
	ROW(EPERM, "permission denied",
	    "sysctl kernel.perf_event_paranoid=1 or CAP_PERFMON allows it; :u needs less"),
	ROW(ESRCH, "the thread has ended", NULL),
	ROW(ENFILE, "the system has no free file descriptor", "raise sysctl fs.file-max"),
	ROW(ENOMEM, "the locked-memory budget of counter buffers is used up, or memory is short",
	    "raise sysctl kernel.perf_event_mlock_kb, or ulimit -l"),
	ROW(EAGAIN, "the locked-memory budget of counter buffers is used up",
	    "raise sysctl kernel.perf_event_mlock_kb, or ulimit -l"),
	/* Found by our own checks: a place that does not exist, and events that open but count
	 * nothing, or would hang the program. */
	OURS(ESPIPE, "the symbol is in no loaded program or library, or not in the probed file",
	     "write it as nm(1) prints it; in a library that is loaded later, uprobe:PATH:SYMBOL"),
	OURS(ENODATA,
	     "the event happens in the kernel only, and the kernel side is not counted here",
	     "use FLAMETRAP_KERNEL=yes without :u, and sysctl kernel.perf_event_paranoid=1 or "
	     "CAP_PERFMON"),
	OURS(EDOM, "the kernel takes time stamps only from clocks that can be read in an NMI",
	     "use clockid=monotonic or monotonic_raw"),
	OURS(EDEADLK,
	     "the process is traced: it stops for each signal, and each stop is a switch that "
	     "raises the next signal",
	     "end the tracer (strace, gdb)"),
	OURS(ELOOP,
	     "on aarch64 the kernel sends the signal before the access, which is then made again "
	     "for ever: the program would hang",
	     "watch the program on x86-64, or with gdb's watch"),
	OURS(EALREADY, "the process is traced, and SIGTRAP is its tracer's",
	     "end the tracer (strace, gdb), or use FLAMETRAP_NOTIFY=sigtrap anyway"),
	OURS(ELIBACC, "the program changes the actions of signals by system calls of its own",
	     "if it leaves SIGTRAP alone, FLAMETRAP_NOTIFY=sigtrap can be used"),
	OURS(EUSERS, "the process's counters have a 16th of its mappings",
	     "raise sysctl vm.max_map_count"),
	OURS(ETIME, "the PMU never had room for the group: it was enabled and did not run",
	     "ask for fewer events in a group; sysctl kernel.nmi_watchdog=0 frees a counter"),
};
const size_t perf_errors_count = sizeof(perf_errors_table) / sizeof(perf_errors_table[0]);

const struct perf_error perf_errors_filtered = {
	.cause = "a seccomp filter is in force",
	.remedy = "let the container's seccomp profile allow perf_event_open",
};

const struct perf_error *perf_errors_find(int err)
{
	if (err < 0)
		err = -err;
	for (size_t i = 0; i < perf_errors_count; i++)
		if (perf_errors_table[i].err == err)
			return &perf_errors_table[i];
	return NULL;
}

const struct perf_error *perf_errors_explain(int err, bool (*is_filtered)(void))
{
	int code = err < 0 ? -err : err;

	if ((code == EPERM || code == ENOSYS) && is_filtered())
		return &perf_errors_filtered;
	return perf_errors_find(err);
}

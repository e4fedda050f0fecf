/*
 * The supervisor is a child that shares our memory, descriptors and signal actions, which the
 * target cannot notice, because it has no exit signal (finisher.c).  It traces the thread that ends
 * the process until its end.  exit_group(2) kills the other threads as usual, and the thread itself
 * stops inside that call (PTRACE_EVENT_EXIT).  A process that waits for ours keeps waiting, and no
 * code of the target runs. When the profile has been written, the supervisor ends, and that lets
 * the thread go.
 *
 * No thread is left that could wait for the supervisor.  It would be handed to a process that
 * adopts orphans, as a child that this process does not know.  The kernel discards a child at once
 * if its parent ignores SIGCHLD and that is the child's exit signal.  So the supervisor sets that
 * action in the table that it shares, and gets the exit signal by its last exec.  No code of the
 * target sees either.
 */

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

#include "preload/libc/libc.h"
#include "preload/signals/syscall_dispatch.h"
#include "preload/process/follow.h"
#include "preload/process/process_end.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/life/thread_life.h"

#define STACK_BYTES 262144UL
#define LATER_NS    10000000 /* interval between checks that the supervisor still exists */
#define LOOKS_MAX   100	     /* for threads that end slowly */

enum {
	STARTING,
	REFUSED, /* the supervisor may not trace us */
	ALLOWED, /* we have allowed it: it tries again */
	LOST,	 /* it may not trace us, and has ended */
	KEEPS,
};

static struct {
	pid_t process;
	pid_t thread; /* the thread that ends the process */
	void (*write)(void *context);
	void *context;
	_Atomic uint32_t state;
} kept;

static struct {
	pid_t process; /* 0: the target has named none */
	unsigned long pid;
} tracer;

void exit_supervisor_note_tracer(unsigned long pid)
{
	tracer.pid = pid;
	tracer.process = sys_getpid();
}

static void pass_state(uint32_t state)
{
	atomic_store(&kept.state, state);
	sys_futex_wake(&kept.state);
}

static void await_change(uint32_t state)
{
	const struct timespec later = { .tv_nsec = LATER_NS };

	sys_futex_wait(&kept.state, state, &later);
}

static bool seize(void)
{
	return !sys_ptrace(PTRACE_SEIZE, kept.thread, PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC);
}

/* Trace the thread.  If that is refused (Yama), our process asks the kernel to allow it, and the
 * supervisor tries again. */
static bool take_thread(void)
{
	bool seized = seize();

	if (!seized) {
		pass_state(REFUSED);
		while (atomic_load(&kept.state) == REFUSED && sys_getppid() == kept.process)
			await_change(REFUSED);
		seized = atomic_load(&kept.state) == ALLOWED && seize();
	}
	return seized;
}

static bool is_stop_signal(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/* Pass the thread its signals, stops and continues until it ends.  Returns true when it stops in
 * its end; false if it is no longer ours: after an exec it has the number of the process and stops
 * before its first instruction, with the supervisor as its only child. */
static bool follow_to_the_end(void)
{
	int status, signal, event;

	for (;;) {
		if (sys_wait(-1, &status, __WALL) || !WIFSTOPPED(status))
			return false;
		signal = WSTOPSIG(status);
		event = status >> 16;
		if (event == PTRACE_EVENT_EXIT)
			return true;
		if (event == PTRACE_EVENT_EXEC)
			return false;
		if (event == PTRACE_EVENT_STOP)
			sys_ptrace(is_stop_signal(signal) ? PTRACE_LISTEN : PTRACE_CONT,
				   kept.thread, 0);
		else
			sys_ptrace(PTRACE_CONT, kept.thread, (unsigned long)signal);
	}
}

/* True if the process ends with the thread.  Otherwise the thread has ended alone, or because
 * another thread called exec.  The first thread stays as a zombie until the last is gone.  The
 * numbers in /proc may differ from those that we know: pid_namespaces(7). */
static bool is_last(void)
{
	uint64_t process = (uint64_t)proc_status_number("PPid:", 0);

	if (kept.thread == kept.process)
		return proc_threads(process) == 1;
	return proc_threads(process) == 2 && proc_is_zombie(process);
}

static void vanish(void)
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };
	uint32_t state = atomic_load(&kept.state);

	for (unsigned looks = 0; looks < LOOKS_MAX; looks++) {
		if (is_last()) {
			libc_own()->sigaction(SIGCHLD, &ignored, NULL);
			finisher_become();
			return;
		}
		await_change(state);
	}
}

static int keep(void *unused)
{
	bool ends;

	(void)unused;
	if (take_thread()) {
		pass_state(KEEPS);
		ends = follow_to_the_end();
		kept.write(kept.context);
		if (ends)
			vanish();
		else /* if it executes another program, which may write a profile of its own */
			sys_ptrace(PTRACE_DETACH, kept.process, 0);
	} else {
		pass_state(LOST);
	}
	sys_exit(0);
	return 0;
}

/* Yama knows one tracer of a process.  For a moment that is the supervisor. */
static bool allow(pid_t supervisor)
{
	bool allowed = !sys_prctl(PR_SET_PTRACER, (unsigned long)supervisor);

	pass_state(allowed ? ALLOWED : LOST);
	return allowed;
}

static void allow_whom_the_target_named(void)
{
	sys_prctl(PR_SET_PTRACER, tracer.process == kept.process ? tracer.pid : 0);
}

/* True if the supervisor took the thread.  Otherwise the supervisor has ended. */
static bool await_supervisor(pid_t supervisor)
{
	const int running = -1;
	int status = running, err = 0;
	bool allowed = false;
	uint32_t state;

	while ((state = atomic_load(&kept.state)) != KEEPS && status == running && !err) {
		if (state == REFUSED)
			allowed = allow(supervisor);
		else if (state != LOST)
			await_change(state);
		err = sys_wait(supervisor, &status, (int)__WCLONE | (state == LOST ? 0 : WNOHANG));
	}
	if (allowed)
		allow_whom_the_target_named();
	return state == KEEPS && status == running;
}

static bool start(void)
{
	uint64_t mask;
	void *stack;
	pid_t supervisor;
	bool keeps;

	if (sys_mmap(&stack, STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1))
		return false;
	mask = sys_signals_block();
	supervisor = libc_own()->clone(keep, (char *)stack + STACK_BYTES,
				       CLONE_VM | CLONE_FILES | CLONE_SIGHAND, NULL);
	keeps = supervisor > 0 && await_supervisor(supervisor);
	sys_signals_restore(mask);
	if (!keeps)
		sys_munmap(stack, STACK_BYTES);
	return keeps;
}

bool exit_supervisor_start(void (*write)(void *context), void *context)
{
	kept.process = sys_getpid();
	if (proc_threads(0) < 2 || syscall_dispatch_is_out() || sandbox_forbids_tracing() ||
	    proc_children_are_apart())
		return false;
	kept.thread = sys_gettid();
	kept.write = write;
	kept.context = context;
	atomic_store(&kept.state, STARTING);
	thread_pause(); /* a stop for a signal is a switch: if it is counted, the next one is due */
	if (start())
		return true;
	thread_resume();
	return false;
}

/*
 * Pauses nest.  While a thread is paused, its counters are disabled, the counters that other
 * threads open for it are closed, and its timer is deleted.
 */
#include "runtime/sample/life/thread_life.h"

#include <stdatomic.h>
#include <sys/prctl.h>

#include "runtime/sample/rate/counters.h"
#include "runtime/sample/session/pending_watch.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/rate/reopen.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/session/thread.h"

#define STANDARD_LAST 31 /* signal(7): up to this number, at most one instance is queued */

/* The information of a signal of kill(2), while it is sent again. */
static siginfo_t sent_again;
static _Atomic uint32_t is_sent_again;

/* Sends a signal of kill(2) again.  rt_sigqueueinfo(2) accepts the code of kill(2) only if the
 * target process number equals the caller's thread number.  So threads other than the first use
 * kill, and the original information is kept here. */
static void kill_again(pid_t pid, const siginfo_t *info)
{
	if (info->si_pid != pid) {
		sent_again = *info;
		atomic_store_explicit(&is_sent_again, 1, memory_order_release);
	}
	sys_kill(pid, session.signal);
}

void thread_queue_again(siginfo_t *info)
{
	pid_t pid = sys_getpid(), tid = sys_gettid();

	if (siginfo_is_to_thread(info))
		sys_sigqueue_thread(pid, tid, session.signal, info);
	else if (info->si_code >= 0 && tid != pid)
		kill_again(pid, info);
	else
		sys_sigqueue_process(pid, session.signal, info);
}

void thread_info_of(siginfo_t *info)
{
	if (info->si_code == SI_USER && info->si_pid == session.pid &&
	    atomic_exchange_explicit(&is_sent_again, 0, memory_order_acquire))
		*info = sent_again;
}

/* True if one of our signals may be queued.  Each one has left a record, unless a timer sent it. */
static bool may_be_queued(const struct thread *thread)
{
	return thread && (thread->tick_timer.rang || group_pending(&thread->group) ||
			  ring_pending(&thread->group.loader));
}

/* A signal for the process that is taken and sent again is missed by another thread that checks at
 * the same moment.  So nothing is taken if none of our signals can be queued.  Ours are queued to
 * the thread and come first.  Of a standard signal at most one is queued. */
static void drop(uint64_t ours)
{
	siginfo_t info;

	while (sys_sigtimedwait(ours, &info) > 0) {
		if (!siginfo_is_ours(&info)) {
			thread_queue_again(&info);
			break;
		}
		if (session.signal <= STANDARD_LAST)
			break;
	}
}

static uint64_t our_bit(void)
{
	return 1ULL << (session.signal - 1);
}

void thread_drop_queued(void)
{
	if (!may_be_queued(thread_self))
		return;
	drop(our_bit());
	thread_self->tick_timer.rang = false;
}

void thread_drop_last(void)
{
	uint64_t pending;

	if (!sys_sigpending(&pending) && pending & our_bit())
		drop(our_bit());
}

static void silence(struct thread *thread)
{
	pending_watch_pause(thread);
	counters_pause_timer(thread);
}

static void drop_late_ones(const struct thread *thread)
{
	uint64_t ours = our_bit(), mask;

	if (session.plan.engine == SPOOL_ENGINE_SIGTRAP && !thread->tick_timer.paused)
		return;
	sys_sigmask(SIG_BLOCK, &ours, &mask);
	thread_drop_queued();
	sys_signals_restore(mask);
}

void thread_pause(void)
{
	struct thread *thread = thread_self;

	if (thread && thread->pause.depth++)
		return;
	if (thread)
		thread->rate.switches.held = true; /* its handler opens no events from now on */
	atomic_signal_fence(memory_order_seq_cst);
	sys_prctl(PR_TASK_PERF_EVENTS_DISABLE, 0);
	if (!thread)
		return;
	silence(thread);
	drop_late_ones(thread);
}

void thread_stay_paused(void)
{
	struct thread *thread = thread_self;

	if (!thread->pause.depth)
		return;
	thread->rate.switches.held = true;
	sys_prctl(PR_TASK_PERF_EVENTS_DISABLE, 0);
	silence(thread);
	thread_drop_queued();
}

void thread_resume(void)
{
	struct thread *thread = thread_self;

	if (thread && thread->pause.depth && --thread->pause.depth)
		return;
	if (thread)
		successor_drop(thread); /* it would run too early */
	if (!thread || thread->pause.disabled != thread->tid)
		sys_prctl(PR_TASK_PERF_EVENTS_ENABLE, 0);
	if (!thread)
		return;
	pending_watch_resume(thread);
	counters_resume_timer(thread);
	thread->rate.switches.held = false;
	atomic_signal_fence(memory_order_seq_cst);
	thread_stay_paused(); /* a handler that came in between may have blocked our signal */
}

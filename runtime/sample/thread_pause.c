/*
 * Pauses nest.  While a thread is paused its counters are disabled, those that other threads open
 * for it are closed, and its timer is gone.
 */
#include "runtime/sample/thread_pause.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "runtime/sample/counters.h"
#include "runtime/sample/pending_watch.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/session.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/thread.h"

#define STANDARD_LAST 31 /* signal(7): of those up to it one is queued at most */

/* What kill(2) sent, while it is sent again. */
static siginfo_t sent_again;
static _Atomic uint32_t is_sent_again;

/* rt_sigqueueinfo(2) lets a thread say that kill(2) sent a signal only to the process whose number
 * is its own: other threads than the first send it by kill, and what was said is kept here. */
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

/* Each of ours that is queued left a record, unless a timer sent it. */
static bool may_be_queued(const struct thread *thread)
{
	return thread && (thread->timer_rang || group_pending(&thread->group) ||
			  ring_pending(&thread->group.loader));
}

/* One for the process that is taken and sent again is missed by other threads that look at the same
 * moment: so nothing is taken where none of ours can be.  Those are the thread's own and come
 * first; of a standard signal there is one at most. */
void thread_drop_queued(void)
{
	uint64_t ours = 1ULL << (session.signal - 1);
	siginfo_t info;

	if (!may_be_queued(thread_self))
		return;
	while (sys_sigtimedwait(ours, &info) > 0) {
		if (!siginfo_is_ours(&info)) {
			thread_queue_again(&info);
			break;
		}
		if (session.signal <= STANDARD_LAST)
			break;
	}
	thread_self->timer_rang = false;
}

static void silence(struct thread *thread)
{
	pending_watch_pause(thread);
	counters_pause_timer(thread);
}

/* Where our signal is open an overflow of a counter cannot wait, as a timer's signal can. */
static void drop_late_ones(const struct thread *thread)
{
	uint64_t ours = 1ULL << (session.signal - 1), mask;

	if (session.plan.engine == SPOOL_ENGINE_SIGTRAP && !thread->timer_paused)
		return;
	sys_sigmask(SIG_BLOCK, &ours, &mask);
	thread_drop_queued();
	sys_signals_restore(mask);
}

void thread_pause(void)
{
	struct thread *thread = thread_self;

	if (thread && thread->paused++)
		return;
	if (thread)
		thread->switches.held = true; /* its handler opens nothing from now on */
	atomic_signal_fence(memory_order_seq_cst);
	sys_prctl(PR_TASK_PERF_EVENTS_DISABLE, 0);
	if (!thread)
		return;
	silence(thread);
	drop_late_ones(thread);
}

void thread_resume(void)
{
	struct thread *thread = thread_self;

	if (thread && thread->paused && --thread->paused)
		return;
	if (!thread || thread->disabled != thread->tid)
		sys_prctl(PR_TASK_PERF_EVENTS_ENABLE, 0);
	if (!thread)
		return;
	pending_watch_resume(thread);
	counters_resume_timer(thread);
	thread->switches.held = false;
}

void thread_stay_paused(void)
{
	struct thread *thread = thread_self;

	if (!thread->paused)
		return;
	thread->switches.held = true;
	sys_prctl(PR_TASK_PERF_EVENTS_DISABLE, 0);
	silence(thread);
	thread_drop_queued();
}

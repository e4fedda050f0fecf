/*
 * The virtual action is shared by all threads, under a lock taken with all signals blocked
 * (so no handler of this thread can wait for it) and held across fork.  The virtual mask is one bit
 * per thread.
 *
 * A signal that is not ours and that the thread blocks virtually is queued again and then
 * really blocked, so that sigpending, sigwait and signalfd see it as ever; that thread is not
 * sampled until it unblocks the signal.
 */
#include "preload/disposition.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include "preload/real.h"
#include "runtime/sample/handler.h"
#include "runtime/sample/lock.h"
#include "runtime/sample/siginfo.h"
#include "runtime/sample/sys.h"

static int our_signal;
static struct sigaction target_action; /* under the lock */
static _Atomic uint32_t locked;
static __thread bool blocked_by_target;

static uint64_t lock(void)
{
	uint64_t mask = sys_signals_block();

	lock_take(&locked);
	return mask;
}

static void unlock(uint64_t mask)
{
	lock_give(&locked);
	sys_signals_restore(mask);
}

void disposition_fork_lock(void)
{
	lock_take(&locked);
}

void disposition_fork_unlock(void)
{
	lock_give(&locked);
}

static uint64_t bit(int signal)
{
	return 1ULL << (signal - 1);
}

void disposition_start(int signal)
{
	uint64_t ours = bit(signal), old = 0;

	real()->sigaction(signal, NULL, &target_action);
	our_signal = signal;
	sys_sigmask(SIG_UNBLOCK, &ours, &old);
	blocked_by_target = old & ours;
}

void disposition_stop(void)
{
	uint64_t ours;

	if (!our_signal)
		return;
	ours = bit(our_signal);
	real()->sigaction(our_signal, &target_action, NULL);
	if (blocked_by_target)
		sys_sigmask(SIG_BLOCK, &ours, NULL);
	our_signal = 0;
}

bool disposition_is_ours(int signal)
{
	return our_signal && signal == our_signal;
}

bool disposition_blocked(void)
{
	return blocked_by_target;
}

void disposition_inherit(bool blocked)
{
	uint64_t ours, old = 0;

	if (!our_signal)
		return;
	ours = bit(our_signal);
	sys_sigmask(SIG_UNBLOCK, &ours, &old);
	blocked_by_target = blocked || old & ours;
}

/* The kernel's fields that glibc adds: what is read back must hold them too. */
static void add_restorer(struct sigaction *action)
{
	struct sigaction installed;

	if (real()->sigaction(our_signal, NULL, &installed))
		return;
	action->sa_restorer = installed.sa_restorer;
	action->sa_flags |=
		installed.sa_flags & ~(SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER |
				       (int)SA_RESETHAND | SA_NOCLDSTOP | SA_NOCLDWAIT);
}

int disposition_action(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction now, before;
	uint64_t mask;

	if (action) {
		now = *action;
		sigdelset(&now.sa_mask, SIGKILL);
		sigdelset(&now.sa_mask, SIGSTOP);
		add_restorer(&now);
	}
	mask = lock();
	before = target_action;
	if (action)
		target_action = now;
	unlock(mask);
	if (old)
		*old = before;
	return 0;
}

int disposition_mask(int (*change)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set,
		     sigset_t *old)
{
	bool before = blocked_by_target, named;
	sigset_t ours, got;
	int result;

	if (!our_signal)
		return change(how, set, old);
	if (set) {
		ours = *set; /* set and old may be the same object */
		named = sigismember(&ours, our_signal) > 0;
		if (how == SIG_UNBLOCK)
			blocked_by_target = before && !named;
		else
			sigdelset(&ours, our_signal);
		if (how == SIG_BLOCK)
			blocked_by_target = before || named;
		else if (how == SIG_SETMASK)
			blocked_by_target = named;
	}
	result = change(how, set ? &ours : NULL, &got);
	if (result)
		blocked_by_target = before;
	else if (old)
		*old = got;
	if (!result && old && before)
		sigaddset(old, our_signal);
	return result;
}

/* Raised by the thread's own instruction: the kernel lets nobody ignore or block these. */
static bool is_synchronous(const siginfo_t *info)
{
	return info->si_code > 0;
}

static void queue_again(int signal, siginfo_t *info)
{
	if (info->si_code == SI_TKILL || is_synchronous(info))
		sys_sigqueue_thread(sys_getpid(), sys_gettid(), signal, info);
	else
		sys_sigqueue_process(sys_getpid(), signal, info);
}

/*
 * Of a standard signal only one can be pending (signal(7)): an overflow queued to this thread
 * while we are here would swallow the target's.  Its record stays in the ring.
 */
static void queue_again_alone(int signal, siginfo_t *info)
{
	siginfo_t pending;

	sys_prctl(PR_TASK_PERF_EVENTS_DISABLE, 0);
	while (sys_sigtimedwait(bit(signal), &pending) > 0)
		if (!siginfo_is_ours(&pending)) {
			queue_again(signal, &pending);
			break;
		}
	queue_again(signal, info);
	sys_prctl(PR_TASK_PERF_EVENTS_ENABLE, 0);
}

/* It arrives when the handler returns, and finds the default action. */
static void die(int signal, siginfo_t *info, ucontext_t *context)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };

	real()->sigaction(signal, &standard, NULL);
	sigdelset(&context->uc_sigmask, signal);
	sys_sigqueue_thread(sys_getpid(), sys_gettid(), signal, info);
}

/* With the mask that the kernel would have set; but our own signal stays open.  The handler
 * may leave by siglongjmp, which then restores the mask. */
static void call_target(int signal, siginfo_t *info, ucontext_t *context,
			const struct sigaction *action, int saved)
{
	uint64_t mask, more;

	memcpy(&mask, &context->uc_sigmask, sizeof(mask));
	memcpy(&more, &action->sa_mask, sizeof(more));
	mask = (mask | more) & ~bit(our_signal);
	errno = saved;
	sys_sigmask(SIG_SETMASK, &mask, NULL);
	if (action->sa_flags & SA_SIGINFO)
		action->sa_sigaction(signal, info, context);
	else
		action->sa_handler(signal);
	saved = errno; /* what the target's handler left is what the target shall see */
	sys_signals_block();
	errno = saved;
}

void disposition_foreign(int signal, siginfo_t *info, void *context)
{
	int saved = errno;
	struct sigaction action;
	uint64_t mask;

	if (blocked_by_target && !is_synchronous(info)) {
		sigaddset(&((ucontext_t *)context)->uc_sigmask, signal);
		queue_again_alone(signal, info);
		errno = saved;
		return;
	}
	mask = lock();
	action = target_action;
	if (action.sa_flags & (int)SA_RESETHAND && action.sa_handler != SIG_IGN)
		target_action.sa_handler = SIG_DFL;
	unlock(mask);
	if (action.sa_handler == SIG_IGN && !is_synchronous(info))
		return;
	if (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL || blocked_by_target)
		die(signal, info, context);
	else
		call_target(signal, info, context, &action, saved);
}

void disposition_show(struct disposition_shown *shown)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	uint64_t ours;

	shown->mask = our_signal && blocked_by_target;
	shown->action = our_signal && target_action.sa_handler == SIG_IGN;
	if (shown->mask) {
		ours = bit(our_signal);
		sys_sigmask(SIG_BLOCK, &ours, NULL);
	}
	if (shown->action)
		real()->sigaction(our_signal, &ignore, NULL);
}

void disposition_hide(const struct disposition_shown *shown)
{
	uint64_t ours;

	if (shown->action)
		handler_install();
	if (shown->mask) {
		ours = bit(our_signal);
		sys_sigmask(SIG_UNBLOCK, &ours, NULL);
	}
}

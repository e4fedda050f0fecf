/*
 * Rules of this file: the handler saves errno, refuses re-entry, never waits, never allocates
 * memory of the target and never logs.  It counts failures instead.  All signals are blocked while
 * it runs.
 *
 * Order: walk the user stack once, then read every record that waits.  Several overflows in the
 * kernel may share one signal.  The thread was in the kernel for all of them, so the same user
 * stack is right for each.
 *
 * The handler's own time is limited by runtime/sample/rate/.
 */
#include "runtime/sample/overflow/handler.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "runtime/sample/account/account.h"
#include "runtime/sample/interp/interp.h"
#include "runtime/sample/perf/clock.h"
#include "runtime/sample/rate/counters.h"
#include "runtime/sample/session/pending_watch.h"
#include "runtime/sample/rate/reopen.h"
#include "runtime/sample/overflow/syscall_restart.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/labels/label_table.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/labels/labels.h"
#include "runtime/sample/unwind/unwind_step.h"
#include "runtime/sample/sys/poison.h"

static uint64_t root_of(enum unwind_end end, enum spool_count *counted)
{
	static const struct {
		enum spool_count counted;
		uint64_t pc;
	} ends[] = {
		[UNWIND_LAST] = { SPOOL_COUNT_COMPLETE, 0 },
		[UNWIND_MAX] = { SPOOL_COUNT_TRUNCATED_DEPTH, SPOOL_PC_TRUNCATED },
		[UNWIND_NO_RULE] = { SPOOL_COUNT_TRUNCATED_NO_RULE, SPOOL_PC_NO_RULE },
		[UNWIND_BOUNDS] = { SPOOL_COUNT_TRUNCATED_BOUNDS, SPOOL_PC_BOUNDS },
		[UNWIND_BUSY] = { SPOOL_COUNT_TRUNCATED_BUSY, SPOOL_PC_BUSY },
		[UNWIND_FAILED] = { SPOOL_COUNT_TRUNCATED_FAILED, SPOOL_PC_FAILED },
	};

	*counted = ends[end].counted;
	return ends[end].pc;
}

struct stack {
	const uint64_t *pcs;
	unsigned depth;
	uint64_t root_pc;
};

static void count_merge(struct thread *thread, enum interp_outcome outcome)
{
	static const enum spool_count counted[] = {
		[INTERP_MERGED] = SPOOL_COUNT_INTERP_MERGED,
		[INTERP_PENDING] = SPOOL_COUNT_INTERP_PENDING,
		[INTERP_PARTIAL] = SPOOL_COUNT_INTERP_UNMERGED,
		[INTERP_NO_STATE] = SPOOL_COUNT_INTERP_NO_STATE,
		[INTERP_UNMERGED] = SPOOL_COUNT_INTERP_UNMERGED,
	};

	if (outcome == INTERP_PENDING)
		thread_count(thread, SPOOL_COUNT_INTERP_MERGED, 1);
	if (outcome != INTERP_NATIVE)
		thread_count(thread, counted[outcome], 1);
}

static void merge(struct thread *thread, struct interp_work *work, struct interp_stack *native,
		  struct stack *stack, struct stack_taken *taken)
{
	enum interp_outcome outcome;
	unsigned depth;

	native->pcs = stack->pcs;
	native->depth = stack->depth;
	depth = interp_merge(native, work, &outcome);
	count_merge(thread, outcome);
	if (!depth)
		return;
	stack->pcs = work->merged;
	stack->depth = depth;
	if (work->cut)
		stack->root_pc = root_of(UNWIND_MAX, &taken->end);
}

static void take_stack(struct thread *thread, const ucontext_t *context, struct stack_taken *taken)
{
	struct interp_work *work = NULL;
	struct unwind_frames frames;
	struct unwind_result result;
	struct stack stack;
	unsigned skipped;

	if (thread->walk.interp && interp_is_here())
		work = interp_work_start(thread->walk.interp, thread->walk.depth_max);
	frames.sps = work ? work->sps : NULL;
	unwind_walk_frames(context, &thread->stack.range, thread->walk.pcs, &frames,
			   thread->walk.depth_max, &result);
	stack.root_pc = root_of(result.end, &taken->end);
	if (result.end == UNWIND_NO_RULE && result.depth > 1 && uretprobe_took(result.end_pc)) {
		stack.root_pc = SPOOL_PC_PROBED;
		result.depth--;
	}
	taken->guessed = result.guessed;
	if (result.misses)
		thread_count(thread, SPOOL_COUNT_MISSES, result.misses);
	taken->overflowed = false;
	skipped = result.probed && result.depth > 1;
	stack.pcs = thread->walk.pcs + skipped;
	stack.depth = result.depth - skipped;
	if (work)
		merge(thread, work,
		      &(struct interp_stack){ .sps = work->sps + skipped,
					      .context = context,
					      .ends = result.end == UNWIND_LAST,
					      .complete =
						      result.end == UNWIND_LAST && !result.guessed,
					      .range = frames.range },
		      &stack, taken);
	taken->node =
		tree_path(&thread->tree, stack.root_pc, stack.pcs, stack.depth, &taken->overflowed);
}

static void take_leaf(struct thread *thread, const ucontext_t *context, struct stack_taken *taken)
{
	thread->walk.pcs[0] = siginfo_pc(context);
	taken->end = SPOOL_COUNT_LEAF_ONLY;
	taken->guessed = taken->overflowed = false;
	taken->node = tree_path(&thread->tree, SPOOL_PC_LEAF_ONLY, thread->walk.pcs, 1,
				&taken->overflowed);
}

/* Reads the thread's name again after 1, 2, 4, … samples or soon after, because threads name
 * themselves after they start, and a timer's signal counts several samples.  The name is also read
 * when the thread ends.  Records of name changes (attr.comm) are not used: they come with one
 * record of each fork and exit. */
static void refresh_name(struct thread *thread)
{
	uint64_t samples = atomic_load_explicit(&thread->slot->count[SPOOL_COUNT_SAMPLES],
						memory_order_relaxed);

	if (samples < 2 * thread->named)
		return;
	thread->named = samples;
	thread_note_name(thread);
}

static void take_labels(struct thread *thread)
{
	uint64_t samples = atomic_load_explicit(&thread->slot->count[SPOOL_COUNT_SAMPLES],
						memory_order_relaxed);

	if (labels_are_lacking(&thread->labels) && label_table_is_used())
		labels_catch_up(&thread->labels);
	if (trace_context_is_due(samples, &thread->labels.trace))
		trace_context_take(samples, &thread->labels.trace);
}

static void came_from_kernel(ucontext_t *context)
{
	syscall_restart_yield(context);
	syscall_restart_ring(context);
}

/* Returns false if the signal is only that of the loader's breakpoint. */
static bool handle_loader(struct thread *thread, struct rate_turn *turn, uint64_t periods)
{
	pending_watch_notice(thread);
	rate_enter_again(thread, turn);
	return group_pending(&thread->group) || periods;
}

static void count_signal(struct thread *thread, const siginfo_t *info)
{
	thread_count(thread, SPOOL_COUNT_SIGNALS, 1);
	if (siginfo_deferred(info))
		thread_count(thread, SPOOL_COUNT_DEFERRED, 1);
	if (siginfo_stopped(info))
		thread_count(thread, SPOOL_COUNT_STOPPED, 1);
}

static void sample(struct thread *thread, const siginfo_t *info, ucontext_t *context)
{
	struct rate_turn turn;
	struct stack_taken taken;
	uint64_t periods;
	bool in_kernel;

	rate_enter(thread, &turn);
	/* a closed timer may leave a signal behind */
	periods = thread->tick_timer.id == CLOCK_NO_TIMER ? 0 : siginfo_periods(info);
	count_signal(thread, info);
	if (ring_pending(&thread->group.loader) && !handle_loader(thread, &turn, periods))
		return;
	if (!group_pending(&thread->group) && !periods) {
		came_from_kernel(context); /* an earlier turn read its record */
		thread->rate.governor.stale++;
		return;
	}
	rate_begin(thread, &turn);
	if (turn.leaf)
		take_leaf(thread, context, &taken);
	else
		take_stack(thread, context, &taken);
	taken.pc = siginfo_pc(context);
	take_labels(thread);
	in_kernel = account_drain_all(thread, &taken);
	reopen_first_end(thread);
	if (periods)
		counters_periods(thread, periods, &taken);
	if (in_kernel)
		came_from_kernel(context);
	else if (periods)
		syscall_restart_ring(context); /* a timer's signal has no record */
	refresh_name(thread);
	tracer_notice(thread);
	rate_leave(thread, &turn, &taken);
}

static void route(const siginfo_t *info, ucontext_t *context)
{
	struct thread *thread = thread_self;

	if (!thread || atomic_load_explicit(&session.stopping, memory_order_relaxed))
		return;
	/* An exchange, because thread_hold may set it at the same moment.  Pairs with the fence in
	 * thread_wait_handlers(): either the stopping thread sees this one busy, or this one sees
	 * the stop. */
	if (atomic_exchange_explicit(&thread->busy, 1, memory_order_seq_cst)) {
		thread_count(thread, SPOOL_COUNT_LOST_REENTERED, 1);
		return;
	}
	if (session.plan.faults)
		thread_turn_begin(thread);
	if (!atomic_load_explicit(&session.stopping, memory_order_seq_cst))
		sample(thread, info, context);
	thread->rate.governor.began_ns = UINT64_MAX;
	if (session.plan.faults)
		thread_turn_end(thread);
	if (atomic_load_explicit(&thread->watch.stale, memory_order_relaxed))
		pending_watch_catch_up(thread);
	atomic_store_explicit(&thread->busy, 0, memory_order_release);
}

static void on_overflow(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	if (siginfo_is_ours(info)) {
		route(info, context);
		syscall_restart_stopped(context);
		errno = saved;
	} else {
		session.libc->foreign(signal, info, context); /* may change errno */
	}
}

int handler_install(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };

	action.sa_sigaction = on_overflow;
	/* All signals, including the two that sigfillset(3) leaves out (cancellation, setxid). */
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	return session.libc->sigaction(session.signal, &action, NULL) ? -errno : 0;
}

bool handler_is(const struct sigaction *action)
{
	return action->sa_sigaction == on_overflow;
}

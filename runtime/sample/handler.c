/*
 * Laws of this file: it saves errno, refuses re-entry, never waits, never allocates from the
 * target, never logs; it counts what it could not do.  All signals are blocked while it runs.
 *
 * Order: walk the user stack once, then read every record that waits.  Several overflows taken
 * in the kernel may share one signal; the thread was in the kernel for all of them, so the one
 * user stack is right for each.
 *
 * Self-restraint: a handler slower than a quarter of a clock's period would in the end leave
 * the target no time at all.  Then only one stack in 1 << backoff is walked; the others are
 * recorded by their leaf alone, under [leaf only].
 */
#include "runtime/sample/handler.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "runtime/sample/session.h"
#include "runtime/sample/siginfo.h"
#include "runtime/sample/slot.h"
#include "runtime/sample/thread.h"
#include "runtime/sample/poison.h"

#define BACKOFF_MAX  10
#define PREEMPTED_NS 100000 /* a turn this long, and 16 times the usual, lost its processor */

/* The user side of a sample: one walk, then any number of records. */
struct stack_taken {
	uint32_t node;
	bool overflowed;
	enum spool_count end; /* which count the way it ended adds to */
	bool guessed;
};

static void count(struct thread *thread, enum spool_count which, uint64_t more)
{
	_Atomic uint64_t *word = &thread->slot->count[which];

	atomic_store_explicit(word, atomic_load_explicit(word, memory_order_relaxed) + more,
			      memory_order_relaxed);
}

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

static void take_stack(struct thread *thread, const ucontext_t *context, struct stack_taken *taken)
{
	struct unwind_result result;
	uint64_t root_pc;

	unwind_walk(context, &thread->stack, thread->pcs, thread->depth_max, &result);
	root_pc = root_of(result.end, &taken->end);
	taken->guessed = result.guessed;
	if (result.misses)
		count(thread, SPOOL_COUNT_MISSES, result.misses);
	taken->overflowed = false;
	taken->node =
		tree_path(&thread->tree, root_pc, thread->pcs, result.depth, &taken->overflowed);
}

static void take_leaf(struct thread *thread, const ucontext_t *context, struct stack_taken *taken)
{
	thread->pcs[0] = siginfo_pc(context);
	taken->end = SPOOL_COUNT_LEAF_ONLY;
	taken->guessed = taken->overflowed = false;
	taken->node =
		tree_path(&thread->tree, SPOOL_PC_LEAF_ONLY, thread->pcs, 1, &taken->overflowed);
}

/* What a counter added since the last record, as if it had run all the time. */
static uint64_t scaled_delta(const struct record_counts *now, const struct record_counts *last,
			     unsigned i)
{
	uint64_t delta = now->value[i] - last->value[i];
	uint64_t enabled = now->enabled_ns - last->enabled_ns;
	uint64_t running = now->running_ns - last->running_ns;

	if (running >= enabled || !running)
		return delta;
	return (uint64_t)((double)delta * (double)enabled / (double)running);
}

static void store_totals(struct thread *thread, const struct group_leader *leader,
			 const struct record_counts *counts)
{
	for (unsigned i = 0; i < counts->count && i < leader->count; i++) {
		struct spool_total *total = &thread->slot->total[leader->counter[i]];

		atomic_store_explicit(&total->value, counts->value[i], memory_order_relaxed);
		atomic_store_explicit(&total->enabled_ns, counts->enabled_ns, memory_order_relaxed);
		atomic_store_explicit(&total->running_ns, counts->running_ns, memory_order_relaxed);
		atomic_store_explicit(&total->lost, counts->lost[i], memory_order_relaxed);
	}
}

static void remember(struct thread *thread, uint32_t node, unsigned counter,
		     const struct record *record)
{
	uint64_t next = atomic_load_explicit(&thread->slot->recent_next, memory_order_relaxed);
	struct spool_recent *recent = &thread->slot->recent[next % SPOOL_RECENT];

	atomic_store_explicit(&recent->time_ns, record->time_ns, memory_order_relaxed);
	atomic_store_explicit(&recent->node, node, memory_order_relaxed);
	atomic_store_explicit(&recent->counter, counter, memory_order_relaxed);
	atomic_store_explicit(&recent->weight, record->period, memory_order_relaxed);
	atomic_store_explicit(&thread->slot->recent_next, next + 1, memory_order_release);
}

static void weigh_all(struct thread *thread, uint32_t node, struct group_leader *leader,
		      const struct record *record)
{
	const struct record_counts *counts = &record->counts;

	for (unsigned i = 0; i < counts->count && i < leader->count; i++)
		tree_weigh(&thread->tree, node, leader->counter[i], i == 0,
			   scaled_delta(counts, &leader->last, i));
}

/* Threads name themselves after they start.  Records of that (attr.comm) would bring one of each
 * fork and exit along, so the name is looked at after 1, 2, 4, … samples, and when it ends. */
static void refresh_name(struct thread *thread)
{
	uint64_t samples = atomic_load_explicit(&thread->slot->count[SPOOL_COUNT_SAMPLES],
						memory_order_relaxed);

	if (!(samples & (samples - 1)))
		thread_note_name(thread);
}

static void count_sample(struct thread *thread, const struct stack_taken *taken, uint64_t samples,
			 bool overflowed, uint32_t node)
{
	count(thread, SPOOL_COUNT_SAMPLES, samples);
	count(thread, taken->end, samples);
	if (taken->guessed)
		count(thread, SPOOL_COUNT_GUESSED, samples);
	if (overflowed && node)
		count(thread, SPOOL_COUNT_OVERFLOW_NODES, samples);
	if (!node)
		count(thread, SPOOL_COUNT_LOST_FULL, samples);
}

static void add_sample(struct thread *thread, struct group_leader *leader,
		       const struct record *record, const struct stack_taken *taken)
{
	bool overflowed = taken->overflowed;
	uint32_t node = taken->node;
	bool wanted =
		record->time_ns >= session.window_from_ns && record->time_ns < session.window_to_ns;

	if (wanted && node && record->chain_depth && !overflowed)
		node = tree_extend(&thread->tree, node, record->chain, record->chain_depth,
				   &overflowed);
	if (wanted)
		count_sample(thread, taken, 1, overflowed, node);
	if (wanted && record->in_kernel)
		count(thread, SPOOL_COUNT_KERNEL_SAMPLES, 1);
	if (wanted && node) {
		weigh_all(thread, node, leader, record);
		remember(thread, node, leader->counter[0], record);
	}
	store_totals(thread, leader, &record->counts);
	leader->last = record->counts;
}

/* A timer has no record: the signal itself says how much CPU time it stands for. */
static void add_periods(struct thread *thread, uint64_t periods, const struct stack_taken *taken)
{
	uint64_t period_ns = session.plan.timer_period_ns;
	uint64_t now_ns = session_now_ns();
	struct spool_total *total = &thread->slot->total[0];
	const struct record record = { .time_ns = now_ns, .period = periods * period_ns };

	if (now_ns < session.window_from_ns || now_ns >= session.window_to_ns)
		return;
	count_sample(thread, taken, periods, taken->overflowed, taken->node);
	if (taken->node) {
		tree_weigh(&thread->tree, taken->node, 0, periods, record.period);
		remember(thread, taken->node, 0, &record);
	}
	atomic_store_explicit(&total->value,
			      atomic_load_explicit(&total->value, memory_order_relaxed) +
				      record.period,
			      memory_order_relaxed);
}

static void drain(struct thread *thread, struct group_leader *leader,
		  const struct stack_taken *taken)
{
	struct record record;

	ring_begin(&leader->ring);
	while (ring_next(&leader->ring, &session.plan.format, thread->scratch, &record)) {
		switch (record.kind) {
		case RECORD_SAMPLE:
			add_sample(thread, leader, &record, taken);
			break;
		case RECORD_LOST:
			count(thread, SPOOL_COUNT_LOST_RING, record.lost);
			break;
		case RECORD_THROTTLED:
			count(thread, SPOOL_COUNT_THROTTLED, 1);
			break;
		case RECORD_COMM:
			slot_set_name(thread->slot, record.comm);
			break;
		case RECORD_MALFORMED:
			count(thread, SPOOL_COUNT_MALFORMED, 1);
			break;
		case RECORD_SWITCHED_OUT:
		case RECORD_SWITCHED_IN:
		case RECORD_OTHER:
			break;
		}
	}
	ring_end(&leader->ring);
}

static bool any_pending(const struct thread *thread)
{
	for (unsigned i = 0; i < thread->group.leaders; i++)
		if (ring_pending(&thread->group.leader[i].ring))
			return true;
	return false;
}

static bool leaf_will_do(struct thread *thread)
{
	if (!thread->backoff)
		return false;
	if (++thread->skipped >> thread->backoff) {
		thread->skipped = 0;
		return false;
	}
	return true;
}

/* Only full walks are judged; leaf-only samples would pull the average down.  One long turn
 * is a handler that lost its processor to another thread: only many in a row are a slow one. */
static void restrain(struct thread *thread, uint64_t spent_ns)
{
	uint64_t period_ns = session.plan.busy_period_ns;

	if (!period_ns)
		return;
	if (spent_ns > period_ns / 2 << thread->backoff)
		spent_ns = period_ns / 2 << thread->backoff;
	thread->cost_ns += (spent_ns >> 3) - (thread->cost_ns >> 3);
	if (thread->cost_ns > period_ns / 4 << thread->backoff && thread->backoff < BACKOFF_MAX) {
		thread->backoff++;
		count(thread, SPOOL_COUNT_BACKOFFS, 1);
	} else if (thread->backoff && thread->cost_ns < period_ns / 16 << thread->backoff) {
		thread->backoff--;
	}
}

/* What a turn cost, without the time that other threads had in the middle of it. */
static uint64_t own_ns(struct thread *thread, uint64_t spent_ns)
{
	uint64_t usual_ns = thread->usual_ns;

	if (usual_ns && spent_ns > PREEMPTED_NS && spent_ns > 16 * usual_ns)
		spent_ns = usual_ns;
	thread->usual_ns = usual_ns ? usual_ns - (usual_ns >> 3) + (spent_ns >> 3) : spent_ns;
	return spent_ns;
}

static void sample(struct thread *thread, const siginfo_t *info, const ucontext_t *context)
{
	uint64_t start_ns = session_now_ns();
	struct stack_taken taken;
	uint64_t spent_ns;
	bool leaf;

	count(thread, SPOOL_COUNT_SIGNALS, 1);
	if (siginfo_deferred(info))
		count(thread, SPOOL_COUNT_DEFERRED, 1);
	if (!any_pending(thread) && !siginfo_periods(info))
		return;
	leaf = leaf_will_do(thread);
	if (leaf)
		take_leaf(thread, context, &taken);
	else
		take_stack(thread, context, &taken);
	for (unsigned i = 0; i < thread->group.leaders; i++)
		if (ring_pending(&thread->group.leader[i].ring))
			drain(thread, &thread->group.leader[i], &taken);
	if (siginfo_periods(info))
		add_periods(thread, siginfo_periods(info), &taken);
	refresh_name(thread);
	spent_ns = own_ns(thread, session_now_ns() - start_ns);
	count(thread, SPOOL_COUNT_HANDLER_NS, spent_ns);
	if (!leaf)
		restrain(thread, spent_ns);
}

static void route(const siginfo_t *info, const ucontext_t *context)
{
	struct thread *thread = thread_self;

	if (!thread || atomic_load_explicit(&session.stopping, memory_order_relaxed))
		return;
	if (atomic_load_explicit(&thread->busy, memory_order_relaxed)) {
		count(thread, SPOOL_COUNT_LOST_REENTERED, 1);
		return;
	}
	atomic_store_explicit(&thread->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	sample(thread, info, context);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&thread->busy, 0, memory_order_relaxed);
}

static void on_overflow(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	if (siginfo_is_ours(info)) {
		route(info, context);
		errno = saved;
	} else {
		session.libc->foreign(signal, info, context); /* its errno is the target's affair */
	}
}

int handler_install(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };

	action.sa_sigaction = on_overflow;
	/* All of them, also the two that sigfillset(3) leaves out (cancellation, setxid). */
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	return session.libc->sigaction(session.signal, &action, NULL) ? -errno : 0;
}

void handler_drain_rest(struct thread *thread)
{
	struct stack_taken taken = { .end = SPOOL_COUNT_LEAF_ONLY };

	if (!any_pending(thread))
		return;
	taken.node = tree_path(&thread->tree, SPOOL_PC_NO_USER, NULL, 0, &taken.overflowed);
	for (unsigned i = 0; i < thread->group.leaders; i++)
		if (ring_pending(&thread->group.leader[i].ring))
			drain(thread, &thread->group.leader[i], &taken);
}

/*
 * Attach order: record, stack range, slot, signal stack, self, counters, arm.  An overflow can
 * arrive only after arm, so the handler never sees a half-built record.  The end runs in reverse:
 * counters first, then self, so that none of our signals is in progress when the tree is merged.
 */
#include "runtime/sample/life/thread_life.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <time.h>

#include "runtime/sample/account/account.h"
#include "runtime/sample/rate/counters.h"
#include "runtime/sample/session/pending_watch.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/rate/reopen.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/session/thread.h"

#define PAGE_BYTES 4096UL

/*
 * The thread descriptor lies at the top of a thread's stack (glibc, allocatestack.c), so the thread
 * pointer is the upper bound of the stack.  The lower bound follows from the requested size, which
 * includes guard pages.  The end of the guard pages is found when a sample comes near.  A read of
 * the lowest page now would make the kernel allocate memory for it, and free it at the thread's
 * end.  pthread_getattr_np would give the whole range, but it allocates.
 */
static void stack_range(struct thread *thread)
{
	thread->stack.range.seen = NULL;
	if (thread->is_main) {
		unwind_stack_of_thread(&thread->stack.range);
		return;
	}
	thread->stack.range.high = (uint64_t)__builtin_thread_pointer();
	thread->stack.range.low =
		(thread->stack.range.high - thread->stack.bytes) & ~(PAGE_BYTES - 1);
	atomic_store_explicit(&thread->stack.seen,
			      (uint64_t)__builtin_frame_address(0) & ~(PAGE_BYTES - 1),
			      memory_order_relaxed);
	thread->stack.range.seen = &thread->stack.seen;
}

/* Initialises the thread's record, in a new thread or a forked child, and takes a slot with an
 * empty tree.  Returns 0 or -ENOSPC. */
static int take_slot(struct thread *thread)
{
	char name[16] = "";

	thread->tid = sys_gettid();
	atomic_store_explicit(&thread->busy, 0, memory_order_release); /* is_gone() reads tid */
	thread->rate.cost_ns = thread->rate.usual_ns = thread->rate.backoff = thread->rate.skipped =
		0;
	thread->named = 0;
	thread->rate.governor = (struct governor){ .began_ns = UINT64_MAX };
	sys_prctl(PR_GET_NAME, (unsigned long)name);
	session_lock();
	thread->slot = thread_slot_take((uint32_t)thread->tid, name, machine_time_now_ns());
	session_unlock();
	if (!thread->slot)
		return -ENOSPC;
	labels_begin(&thread->labels);
	tree_start(&thread->tree, &session.spool, session.modules, &thread->slot->first_chunk);
	log_start(&thread->log, &session.spool, thread->slot, &thread->labels);
	return 0;
}

static void free_slot(struct thread *thread)
{
	session_lock();
	thread_slot_end(thread->slot, &thread->tree, &thread->log, machine_time_now_ns(),
			session_give_way);
	session_unlock();
	thread->slot = NULL;
}

/* Opens the thread's counters, including its pending watches.  They stand still if the thread is
 * paused.  Returns 0 or -errno. */
static int open_counters(struct thread *thread)
{
	int err = counters_open(thread);

	if (err)
		return err;
	if (thread->group.leaders)
		pending_watch_join(thread);
	thread_stay_paused();
	if (session.plan.faults)
		thread_turn_end(thread);
	return 0;
}

/* A thread without counters stays in the account, with its name and its life.  It costs no more
 * than one with counters; where memory is short that is too much.  Without the first thread, the
 * program runs unprofiled. */
static bool may_do_without(const struct thread *thread, int err)
{
	return !thread->is_main && err != -ENOMEM;
}

static int attach(struct thread *thread)
{
	int err;

	stack_range(thread);
	err = take_slot(thread);
	if (err)
		return err;
	signal_stack_take(&thread->signal_stack);
	thread_self = thread;
	atomic_signal_fence(memory_order_seq_cst); /* our own handler reads thread_self */
	err = open_counters(thread);
	if (err && may_do_without(thread, err)) {
		thread_count(thread, SPOOL_COUNT_ATTACH_FAILED, 1);
		return 0;
	}
	if (err) {
		thread_self = NULL;
		signal_stack_leave(&thread->signal_stack);
		free_slot(thread);
	}
	return err;
}

int thread_attach(struct thread *thread)
{
	uint64_t mask = sys_signals_block();
	int err;

	err = attach(thread);
	if (err) {
		spool_alloc_add_count(&session.spool, SPOOL_COUNT_ATTACH_FAILED, 1);
		thread_give(thread);
	}
	sys_signals_restore(mask);
	return err;
}

static void close_account(struct thread *thread)
{
	atomic_store_explicit(&thread->slot->count[SPOOL_COUNT_THREADS_ENDED], 1,
			      memory_order_relaxed);
	session_lock();
	thread_slot_end(thread->slot, &thread->tree, &thread->log, machine_time_now_ns(),
			session_give_way);
	thread->slot = NULL;
	thread_give_locked(thread);
	session_unlock();
}

/* Ends a thread that is gone, which the caller holds.  What it did after its last record is not
 * known. */
static void end_other(struct thread *thread)
{
	pending_watch_leave(thread);
	account_drain_rest(thread);
	switches_end(thread->tick_timer.replaces_clock,
		     0); /* its switches are not known any more */
	successor_drop(thread);
	counters_close(thread);
	close_account(thread);
}

void thread_end(void)
{
	struct thread *thread = thread_self;
	uint64_t mask, cpu_ns;

	if (!thread)
		return;
	mask = sys_signals_block();
	if (session_is_here()) {
		pending_watch_leave(thread);
		while (!thread_hold(thread))
			sys_yield(); /* the end of the process is reading this thread's rings */
		account_drain_rest(thread);
		group_store_totals(&thread->group, &session.plan, thread->slot->total);
		counters_drain_timer(thread);
		cpu_ns = machine_time_ns(CLOCK_THREAD_CPUTIME_ID);
		counters_count_rest(thread, cpu_ns);
		switches_end(thread->tick_timer.replaces_clock, cpu_ns);
		successor_drop(thread);
		counters_close(thread);
		thread_self = NULL;
		if (signal_stack_is_set(&thread->signal_stack))
			thread_drop_last(); /* the target may have freed its stack */
		signal_stack_leave(&thread->signal_stack);
		atomic_store_explicit(&thread->slot->count[SPOOL_COUNT_CPU_NS], cpu_ns,
				      memory_order_relaxed);
		thread_note_name(thread);
		close_account(thread);
	}
	sys_signals_restore(mask);
}

int thread_reattach(void)
{
	struct thread *thread = thread_self;
	uint64_t mask;
	int err;

	if (!thread)
		return 0;
	mask = sys_signals_block();
	err = take_slot(thread);
	if (!err)
		err = open_counters(thread);
	if (err) {
		thread_abandon();
		spool_alloc_add_count(&session.spool, SPOOL_COUNT_ATTACH_FAILED, 1);
	}
	sys_signals_restore(mask);
	return err;
}

void thread_abandon(void)
{
	struct thread *thread = thread_self;

	thread_self = NULL;
	if (thread)
		signal_stack_leave(&thread->signal_stack);
}

/* A thread is gone if the kernel has no clock of it.  If its number is another thread's of the
 * process by then, it is left until the process ends. */

#define LOOKS 2	 /* for each new thread */
#define STEPS 64 /* records without a thread are passed over */

static _Atomic bool expected;
static struct thread *last; /* that was looked at.  Under the session's lock */

void thread_gone_expect(void)
{
	if (!atomic_load_explicit(&expected, memory_order_relaxed))
		atomic_store_explicit(&expected, true, memory_order_relaxed);
}

static bool may_be_gone(void)
{
	return atomic_load_explicit(&expected, memory_order_relaxed) && !sys_is_quiet();
}

static bool is_gone(const struct thread *thread)
{
	struct timespec unused;

	return thread->slot && sys_clock(COUNTERS_CLOCK_OF(thread->tid), &unused) == -EINVAL;
}

/* The record may be another thread's before it is held. */
static void look_at(struct thread *thread)
{
	if (!is_gone(thread) || !thread_hold(thread))
		return;
	if (!is_gone(thread)) {
		thread_release(thread);
		return;
	}
	end_other(thread);
	session_spool_note("ends of threads were not noticed for want of a key "
			   "(pthread_key_create): what such a thread did after its last sample is "
			   "in no stack");
}

static struct thread *next_with_slot(void)
{
	struct thread *thread = NULL;

	session_lock();
	for (unsigned i = 0; i < STEPS; i++) {
		last = last ? thread_next(last) : thread_first();
		if (last && last->slot) {
			thread = last;
			break;
		}
	}
	session_unlock();
	return thread;
}

void thread_gone_look(void)
{
	uint64_t mask;

	if (!may_be_gone())
		return;
	mask = sys_signals_block();
	for (unsigned i = 0; i < LOOKS; i++) {
		struct thread *thread = next_with_slot();

		if (thread)
			look_at(thread);
	}
	sys_signals_restore(mask);
}

/* If the caller has the lock, in a fork handler of the target, nothing can be done. */
void thread_gone_look_at_all(void)
{
	uint64_t mask;

	if (!may_be_gone())
		return;
	mask = sys_signals_block();
	if (!session_lock_patiently()) {
		sys_signals_restore(mask);
		return;
	}
	session_unlock();
	for (struct thread *thread = thread_first(); thread; thread = thread_next(thread))
		look_at(thread);
	sys_signals_restore(mask);
}

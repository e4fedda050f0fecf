/*
 * Attach order: record, stack range, signal stack, slot, counters, self, arm.  An overflow can
 * arrive only after arm, so the handler never meets a half-built record.  End order is the
 * reverse: counters first, then self, so that no signal of ours is under way when the tree is
 * merged.
 *
 * A record is one mapping: guard page, signal stack, struct thread, frame buffer, tree memo.
 */
#include "runtime/sample/thread.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "runtime/sample/clock.h"
#include "runtime/sample/counters.h"
#include "runtime/sample/handler.h"
#include "runtime/sample/late.h"
#include "runtime/sample/machine_time.h"
#include "runtime/sample/reopen.h"
#include "runtime/sample/session.h"
#include "runtime/sample/slot.h"
#include "runtime/sample/sys.h"
#include "runtime/sample/together.h"

#define PAGE_BYTES 4096UL
#define WAIT_NS	   1000000000ULL

/* What a forked child writes to, with one counter. */
_Static_assert(offsetof(struct thread, group.leader[1]) <= PAGE_BYTES, "is in one page");

__thread struct thread *thread_self;

/* Under the session's lock. */
static struct thread *free_records TOGETHER, *made_records TOGETHER;
/* A forked child inherits the records of threads that it has not.  Each page that it writes to is
 * copied, so they stay as they are until they are taken: what tells them is an older number. */
static uint32_t forks TOGETHER;		     /* since the first process.  W: fork child */
static struct thread *left_records TOGETHER; /* by next_made; some are of now.  Under the lock */

static size_t record_bytes(unsigned depth)
{
	size_t bytes = sizeof(struct thread) + depth * sizeof(uint64_t) +
		       (depth + 1) * sizeof(struct tree_step);

	return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static struct thread *record_new(void)
{
	unsigned depth = session.settings->depth;
	size_t bytes = PAGE_BYTES + SIGNAL_STACK_BYTES + record_bytes(depth);
	struct thread *thread;
	char *memory;
	void *mapping;

	if (sys_mmap(&mapping, bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1))
		return NULL;
	memory = mapping;
	if (sys_mprotect(memory, PAGE_BYTES, PROT_NONE)) {
		sys_munmap(mapping, bytes);
		return NULL;
	}
	thread = (void *)(memory + PAGE_BYTES + SIGNAL_STACK_BYTES);
	thread->signal_stack.memory = memory + PAGE_BYTES;
	thread->stack.memo = &thread->memo;
	thread->depth_max = depth;
	thread->pcs = (uint64_t *)(thread + 1);
	thread->tree.path = (struct tree_step *)(thread->pcs + depth);
	thread->tree.path_max = depth + 1;
	return thread;
}

static bool is_left(const struct thread *thread)
{
	return thread->forks != forks;
}

static void forget(struct thread *thread)
{
	group_forget(&thread->group);
	thread->late = false;
	thread->timer = CLOCK_NO_TIMER; /* timers are not inherited; the id may be another's */
	thread->slot = NULL;
	thread->forks = forks;
}

static struct thread *take_left(void)
{
	struct thread *thread = left_records;

	while (thread && !is_left(thread))
		thread = thread->next_made;
	left_records = thread ? thread->next_made : NULL;
	if (!thread)
		return NULL;
	forget(thread);
	thread->tree.index = NULL; /* it may have been growing: leak it rather than trust it */
	thread->tree.index_size = thread->tree.index_used = 0;
	return thread;
}

struct thread *thread_take(void)
{
	uint64_t mask = sys_signals_block();
	struct thread *thread;

	session_lock();
	thread = free_records;
	if (thread)
		free_records = thread->next_free;
	else
		thread = take_left();
	session_unlock();
	if (!thread) {
		thread = record_new();
		if (thread) {
			session_lock();
			thread->forks = forks;
			thread->next_made = made_records;
			made_records = thread;
			session_unlock();
		}
	}
	sys_signals_restore(mask);
	if (thread)
		thread->paused = 0;
	return thread;
}

static void give_locked(struct thread *thread)
{
	thread->next_free = free_records;
	free_records = thread;
}

void thread_give(struct thread *thread)
{
	uint64_t mask = sys_signals_block();

	session_lock();
	give_locked(thread);
	session_unlock();
	sys_signals_restore(mask);
}

/*
 * The thread descriptor lies at the top of a thread's stack (glibc, allocatestack.c), so the
 * thread pointer bounds it above, and what was asked for, guard pages among it, below: where those
 * end is found out when a sample comes near.  A look at the lowest page would have the kernel put
 * memory there, and take it away at the thread's end.
 * pthread_getattr_np would say it all, but allocates.
 */
static void stack_range(struct thread *thread)
{
	thread->stack.seen = NULL;
	if (!thread->start) { /* the main one */
		unwind_stack_of_thread(&thread->stack);
		return;
	}
	thread->stack.high = (uint64_t)__builtin_thread_pointer();
	thread->stack.low = (thread->stack.high - thread->stack_bytes) & ~(PAGE_BYTES - 1);
	atomic_store_explicit(&thread->stack_seen,
			      (uint64_t)__builtin_frame_address(0) & ~(PAGE_BYTES - 1),
			      memory_order_relaxed);
	thread->stack.seen = &thread->stack_seen;
}

/* What the thread's record starts with, in a new thread as in a forked child. */
static int take_slot(struct thread *thread)
{
	char name[16] = "";

	thread->tid = sys_gettid();
	atomic_store_explicit(&thread->busy, 0, memory_order_relaxed);
	thread->cost_ns = thread->usual_ns = thread->backoff = thread->skipped = 0;
	thread->governor = (struct governor){ 0 };
	sys_prctl(PR_GET_NAME, (unsigned long)name);
	session_lock();
	thread->slot = slot_take((uint32_t)thread->tid, name, machine_time_now_ns());
	session_unlock();
	return thread->slot ? 0 : -ENOSPC;
}

static void free_slot(struct thread *thread)
{
	session_lock();
	slot_end(thread->slot, &thread->tree, machine_time_now_ns());
	session_unlock();
	thread->slot = NULL;
}

static int attach(struct thread *thread)
{
	int err;

	stack_range(thread);
	err = take_slot(thread);
	if (err)
		return err;
	tree_start(&thread->tree, &session.store, session.modules, &thread->slot->first_chunk);
	signal_stack_take(&thread->signal_stack);
	thread_self = thread;
	atomic_signal_fence(memory_order_seq_cst); /* our own handler reads thread_self */
	err = counters_open(thread);
	if (err)
		goto err_self;
	if (thread->group.leaders)
		late_join(thread);
	thread_stay_paused();
	if (session.plan.faults)
		thread_turn_end(thread);
	return 0;

err_self:
	thread_self = NULL;
	signal_stack_leave(&thread->signal_stack);
	free_slot(thread);
	return err;
}

int thread_attach(struct thread *thread)
{
	uint64_t mask = sys_signals_block();
	int err;

	err = attach(thread);
	if (err) {
		store_count(&session.store, SPOOL_COUNT_ATTACH_FAILED, 1);
		session_lock();
		give_locked(thread);
		session_unlock();
	}
	sys_signals_restore(mask);
	return err;
}

static void store_cpu_time(struct thread *thread)
{
	struct timespec used;

	if (sys_clock(CLOCK_THREAD_CPUTIME_ID, &used))
		return;
	atomic_store_explicit(&thread->slot->count[SPOOL_COUNT_CPU_NS],
			      (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec,
			      memory_order_relaxed);
}

void thread_note_name(struct thread *thread)
{
	char name[16] = "";

	if (!sys_prctl(PR_GET_NAME, (unsigned long)name))
		slot_set_name(thread->slot, name);
}

void thread_end(void)
{
	struct thread *thread = thread_self;
	uint64_t mask;

	if (!thread)
		return;
	mask = sys_signals_block();
	if (session_is_here()) {
		late_leave(thread);
		while (!thread_hold(thread))
			sys_yield(); /* the end of the process is reading our rings */
		handler_drain_rest(thread);
		group_store_totals(&thread->group, &session.plan, thread->slot->total);
		counters_settle(thread);
		switches_end(thread->coarse);
		counters_close(thread);
		thread_self = NULL;
		signal_stack_leave(&thread->signal_stack);
		store_cpu_time(thread);
		thread_note_name(thread);
		atomic_store_explicit(&thread->slot->count[SPOOL_COUNT_THREADS_ENDED], 1,
				      memory_order_relaxed);
		session_lock();
		slot_end(thread->slot, &thread->tree, machine_time_now_ns());
		thread->slot = NULL;
		give_locked(thread);
		session_unlock();
	}
	sys_signals_restore(mask);
}

bool thread_hold(struct thread *thread)
{
	uint32_t idle = 0;

	return atomic_compare_exchange_strong_explicit(&thread->busy, &idle, 1,
						       memory_order_acquire, memory_order_relaxed);
}

void thread_release(struct thread *thread)
{
	atomic_store_explicit(&thread->busy, 0, memory_order_release);
}

void thread_turn_begin(struct thread *thread)
{
	thread->turn_start_ns = machine_time_now_ns();
}

void thread_turn_end(struct thread *thread)
{
	thread->turn_end_ns = machine_time_now_ns();
	thread->turn_start_ns = UINT64_MAX;
}

/* All earlier records were read in the last turn, so what is older than its end is its own. */
bool thread_is_own_fault(const struct thread *thread, uint64_t address, uint64_t time_ns)
{
	uint64_t memory = (uint64_t)(uintptr_t)thread->signal_stack.memory;
	uint64_t end = (uint64_t)(uintptr_t)(thread->pcs + thread->depth_max);

	return time_ns < thread->turn_end_ns || time_ns >= thread->turn_start_ns ||
	       (address >= memory && address < end);
}

void thread_wait_handlers(void)
{
	uint64_t until_ns = machine_time_now_ns() + WAIT_NS;

	/* pairs with route() in handler.c: stopping before busy */
	atomic_thread_fence(memory_order_seq_cst);
	for (struct thread *thread = thread_first(); thread; thread = thread_next(thread)) {
		if (thread == thread_self || !thread->slot)
			continue;
		while (!thread_hold(thread)) {
			if (machine_time_now_ns() > until_ns)
				return;
			sys_yield();
		}
		thread_release(thread);
	}
}

static struct thread *first_of_now(struct thread *thread)
{
	while (thread && is_left(thread))
		thread = thread->next_made;
	return thread;
}

struct thread *thread_first(void)
{
	return first_of_now(made_records);
}

struct thread *thread_next(const struct thread *thread)
{
	return first_of_now(thread->next_made);
}

void thread_forget_others(void)
{
	forks++;
	free_records = NULL; /* what was free is left, too */
	left_records = made_records;
	if (thread_self)
		forget(thread_self);
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
	if (!err) {
		tree_start(&thread->tree, &session.store, session.modules,
			   &thread->slot->first_chunk);
		err = counters_open(thread);
		if (thread->group.leaders)
			late_join(thread);
		thread_stay_paused();
		if (session.plan.faults)
			thread_turn_end(thread);
	}
	if (err) {
		thread_self = NULL;
		store_count(&session.store, SPOOL_COUNT_ATTACH_FAILED, 1);
	}
	sys_signals_restore(mask);
	return err;
}

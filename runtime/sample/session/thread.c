/*
 * A record is: guard page, signal stack, struct thread, frame buffer, tree memo, memory for the
 * functions of interpreters.  The last is not touched before an interpreter is met.
 *
 * Several records are one mapping, since a program with many threads needs the mappings that a
 * process may have (vm.max_map_count) for their stacks.  A guard page that takes a mapping of its
 * own, before Linux 6.13, only the first records have; behind the others is the end of another
 * record.
 */
#include "runtime/sample/session/thread.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "config/events/perf_errors.h"
#include "runtime/sample/interp/interp.h"
#include "runtime/sample/perf/clock.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/sys/together.h"

#define PAGE_BYTES 4096UL
#define WAIT_NS	   1000000000ULL

#define SLAB_MAX    16	     /* records */
#define SLAB_GROWTH 8	     /* a slab has one more for so many records before */
#define GUARDED_MAX 256	     /* records */
#define HUGE_BYTES  0x200000 /* from this size on a mapping may get huge pages */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#endif

/* The members that a forked child writes to, with one counter. */
_Static_assert(offsetof(struct thread, group.leader[1]) <= PAGE_BYTES, "is in one page");

static __thread struct thread *self;

struct thread **thread_self_place(void)
{
	static struct thread *none;

	return thread_pointer_is_known() ? &self : &none;
}

/* Under the session's lock. */
static struct thread *free_records TOGETHER, *made_records TOGETHER;
/* A forked child inherits the records of threads that it does not have.  A write to their pages
 * would copy them, so they stay unchanged until they are reused.  Their older number of forks marks
 * them. */
static uint32_t forks TOGETHER;		     /* number since the first process.  W: fork child */
static struct thread *left_records TOGETHER; /* by next_made; some are in use.  Under the lock */

static size_t whole_pages(size_t bytes)
{
	return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static size_t record_bytes(unsigned depth)
{
	return whole_pages(sizeof(struct thread) + depth * sizeof(uint64_t) +
			   (depth + 1) * sizeof(struct tree_step));
}

/* Records of which no thread has been given one yet.  Under the session's lock. */
static struct {
	char *next;
	unsigned left;
	unsigned taken; /* of all slabs */
} slab;

static bool slab_new(size_t bytes)
{
	unsigned count = 1 + slab.taken / SLAB_GROWTH;
	void *mapping;

	if (count > SLAB_MAX)
		count = SLAB_MAX;
	while (sys_mmap(&mapping, count * bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1)) {
		if (count == 1)
			return false;
		count = 1;
	}
	if (count * bytes >= HUGE_BYTES) /* they would be in memory whole */
		sys_madvise(mapping, count * bytes, MADV_NOHUGEPAGE);
	slab.next = mapping;
	slab.left = count;
	return true;
}

static bool guard(char *page)
{
	return !sys_madvise(page, PAGE_BYTES, MADV_GUARD_INSTALL) || slab.taken >= GUARDED_MAX ||
	       !sys_mprotect(page, PAGE_BYTES, PROT_NONE);
}

static char *slab_take(size_t bytes)
{
	char *memory;

	if ((!slab.left && !slab_new(bytes)) || !guard(slab.next))
		return NULL;
	memory = slab.next;
	slab.next += bytes;
	slab.left--;
	slab.taken++;
	return memory;
}

static bool asks_interpreters(void)
{
	return session.settings->interp != SETTINGS_INTERP_NO;
}

static struct thread *record_new(void)
{
	unsigned depth = session.settings->depth;
	size_t interp_at = PAGE_BYTES + SIGNAL_STACK_BYTES + record_bytes(depth);
	size_t bytes = interp_at + (asks_interpreters() ? interp_work_bytes(depth) : 0);
	struct thread *thread;
	char *memory = slab_take(whole_pages(bytes));

	if (!memory)
		return NULL;
	thread = (void *)(memory + PAGE_BYTES + SIGNAL_STACK_BYTES);
	thread->signal_stack.memory = memory + PAGE_BYTES;
	thread->stack.range.memo = &thread->memo;
	thread->walk.depth_max = depth;
	thread->walk.pcs = (uint64_t *)(thread + 1);
	thread->tree.path = (struct tree_step *)(thread->walk.pcs + depth);
	thread->tree.path_max = depth + 1;
	thread->walk.interp = asks_interpreters() ? memory + interp_at : NULL;
	thread->record.forks = forks;
	thread->record.next_made = made_records;
	made_records = thread;
	return thread;
}

static bool is_left(const struct thread *thread)
{
	return thread->record.forks != forks;
}

static void forget(struct thread *thread)
{
	group_forget(&thread->group);
	if (thread->prepared.leader) /* it has no mapping of an event either */
		thread->prepared.leader = NULL;
	thread->watch.joined = false;
	thread->tick_timer.id = CLOCK_NO_TIMER; /* not inherited: the id may be another timer's */
	thread->slot = NULL;
	thread->record.forks = forks;
}

static struct thread *take_left(void)
{
	struct thread *thread = left_records;

	while (thread && !is_left(thread))
		thread = thread->record.next_made;
	left_records = thread ? thread->record.next_made : NULL;
	if (!thread)
		return NULL;
	forget(thread);
	thread->tree.index = NULL; /* it may have been growing at the fork: leak it */
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
		free_records = thread->record.next_free;
	else
		thread = take_left();
	if (!thread)
		thread = record_new();
	session_unlock();
	sys_signals_restore(mask);
	if (thread)
		thread->pause.depth = 0;
	return thread;
}

void thread_give_locked(struct thread *thread)
{
	thread->record.next_free = free_records;
	free_records = thread;
}

void thread_give(struct thread *thread)
{
	uint64_t mask = sys_signals_block();

	session_lock();
	thread_give_locked(thread);
	session_unlock();
	sys_signals_restore(mask);
}

void thread_note_name(struct thread *thread)
{
	char name[16] = "";

	if (!sys_prctl(PR_GET_NAME, (unsigned long)name))
		thread_slot_set_name(thread->slot, name);
}

/* Unlike proc_is_filtered(), this opens no file, which a sandbox may forbid. */
static bool is_filtered(void)
{
	return sys_prctl(PR_GET_SECCOMP, 0) == PERF_FILTER_IN_FORCE;
}

void thread_lacks(struct thread *thread, uint32_t counters, int err)
{
	uint32_t why = (uint32_t)(err < 0 ? -err : err);

	if (!counters)
		return;
	if (perf_errors_explain(err, is_filtered) == &perf_errors_filtered)
		why |= SPOOL_LACK_FILTERED;
	thread_slot_lacks(thread->slot, counters, why, machine_time_now_ns());
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
	thread->turn.start_ns = machine_time_now_ns();
}

void thread_turn_end(struct thread *thread)
{
	thread->turn.end_ns = machine_time_now_ns();
	thread->turn.start_ns = UINT64_MAX;
}

/* The last turn read all earlier records, so a record from before its end belongs to that turn. */
bool thread_is_own_fault(const struct thread *thread, uint64_t address, uint64_t time_ns)
{
	uint64_t memory = (uint64_t)(uintptr_t)thread->signal_stack.memory;
	uint64_t end = (uint64_t)(uintptr_t)(thread->walk.pcs + thread->walk.depth_max);

	return time_ns < thread->turn.end_ns || time_ns >= thread->turn.start_ns ||
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
		thread = thread->record.next_made;
	return thread;
}

struct thread *thread_first(void)
{
	return first_of_now(made_records);
}

struct thread *thread_next(const struct thread *thread)
{
	return first_of_now(thread->record.next_made);
}

void thread_forget_others(void)
{
	struct thread *thread = thread_self;

	forks++;
	free_records = NULL; /* free records are inherited ones too */
	left_records = made_records;
	if (thread)
		forget(thread);
}

/*
 * A thread is gone if the kernel has no clock of it.  If its number is another thread's of the
 * process by then, it is left until the process ends.
 */
#include "runtime/sample/life/thread_gone.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "runtime/sample/rate/counters.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/session/session_spool.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/life/thread_life.h"

#define LOOKS 2	 /* for each new thread */
#define STEPS 64 /* records without a thread are passed over */

static _Atomic bool expected;
static struct thread *last; /* that was looked at.  Under the session's lock */

void thread_gone_expect(void)
{
	if (!atomic_load_explicit(&expected, memory_order_relaxed))
		atomic_store_explicit(&expected, true, memory_order_relaxed);
}

static bool is_expected(void)
{
	return atomic_load_explicit(&expected, memory_order_relaxed);
}

static bool is_gone(const struct thread *thread)
{
	struct timespec unused;

	return thread->slot && sys_clock(counters_clock_of(thread->tid), &unused) == -EINVAL;
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
	thread_end_other(thread);
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

	if (!is_expected() || sys_is_quiet())
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

	if (!is_expected() || sys_is_quiet())
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

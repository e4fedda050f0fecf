/*
 * A lock between threads of the target: one word.  A waiter sleeps in the kernel, so a waiter of
 * higher priority cannot keep the owner from running.  Take the lock with all signals blocked if a
 * handler of the same thread may want it.
 */
#ifndef RUNTIME_SAMPLE_SYS_LOCK_H
#define RUNTIME_SAMPLE_SYS_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "runtime/sample/sys/sys.h"

#define LOCK_WAITS   200
#define LOCK_WAIT_NS 10000000 /* each wait; all waits together take two seconds */

enum lock_word {
	LOCK_FREE = 0,
	LOCK_TAKEN = 1,
	LOCK_WANTED = 2, /* taken, and a thread may be asleep */
};

/* Take a lock if it is free.  Returns true if the caller now holds it.  Context: any. */
static inline bool lock_try(_Atomic uint32_t *lock)
{
	uint32_t expected = LOCK_FREE;

	return atomic_compare_exchange_strong_explicit(lock, &expected, LOCK_TAKEN,
						       memory_order_acquire, memory_order_relaxed);
}

/* Take a lock; sleeps until it is free (futex(2)).  Context: thread, signal. */
static inline void lock_take(_Atomic uint32_t *lock)
{
	if (lock_try(lock))
		return;
	while (atomic_exchange_explicit(lock, LOCK_WANTED, memory_order_acquire))
		sys_futex_wait(lock, LOCK_WANTED, NULL);
}

/* Like lock_take(), but gives up after about 2 s and returns false.  For callers that can do
 * without.  Context: thread, signal. */
static inline bool lock_take_patiently(_Atomic uint32_t *lock)
{
	const struct timespec wait = { .tv_nsec = LOCK_WAIT_NS };

	if (lock_try(lock))
		return true;
	for (unsigned i = 0; i < LOCK_WAITS; i++) {
		if (!atomic_exchange_explicit(lock, LOCK_WANTED, memory_order_acquire))
			return true;
		sys_futex_wait(lock, LOCK_WANTED, &wait);
	}
	return false;
}

/* Release a lock.  Context: the thread that took it, or the child of a fork whose parent took
 * it. */
static inline void lock_give(_Atomic uint32_t *lock)
{
	if (atomic_exchange_explicit(lock, LOCK_FREE, memory_order_release) == LOCK_WANTED)
		sys_futex_wake(lock);
}

/* How long a signal handler waits for another thread that does the same work: bounded each time,
 * and longer than some 20 us only as long as the process has patience left.
 *
 * Wait a little, for the `round`th time (from 0) of one attempt; the processor is given to others
 * now and then.  Returns false if the caller must do without: always after some 20 us of attempts
 * if all threads together have waited some 50 ms beyond that since the process started, and else
 * after about a millisecond.  Context: signal. */
bool bounded_wait(unsigned round);

/* Take a lock if it is free or becomes free in that time.  Returns true if the caller now holds it.
 * Context: signal. */
bool bounded_wait_lock(_Atomic uint32_t *lock);

#endif

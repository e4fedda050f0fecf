/*
 * The holder is known by its thread pointer.  A fork holds unwind_lock on behalf of a thread whose
 * own handler may still ask.
 */
#include "runtime/sample/cfi/unwind_lock.h"

#include <stdatomic.h>
#include <stdint.h>

#include "runtime/sample/sys/lock.h"
#include "runtime/sample/sys/together.h"

/* Thread pointer of the holder, 0: free.  W: by compare-and-swap.  R: any. */
static _Atomic uintptr_t holder TOGETHER;

static uintptr_t this_thread(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}

/* Thread pointer of the thread that holds the lock for a fork.  It is not inside libunwind, so its
 * own handler may still ask.  W: fork handlers.  R: any. */
static _Atomic uintptr_t forking TOGETHER;

bool unwind_lock_is_forking(void)
{
	return atomic_load_explicit(&forking, memory_order_relaxed) == this_thread();
}

static bool take(void)
{
	uintptr_t no_holder = 0;

	/* acquire: pairs with the release in unwind_lock_release(); the pools are whole */
	return atomic_compare_exchange_strong_explicit(&holder, &no_holder, this_thread(),
						       memory_order_acquire, memory_order_relaxed);
}

bool unwind_lock_is_mine(void)
{
	return atomic_load_explicit(&holder, memory_order_relaxed) == this_thread();
}

bool unwind_lock_try(void)
{
	if (unwind_lock_is_forking())
		return true;
	if (unwind_lock_is_mine()) /* the handler has interrupted its own thread's question */
		return false;
	for (unsigned round = 0;; round++) {
		if (!atomic_load_explicit(&holder, memory_order_relaxed) && take())
			return true;
		if (!bounded_wait(round))
			return false;
	}
}

bool unwind_lock_try_once(void)
{
	return unwind_lock_is_forking() || take();
}

void unwind_lock_release(void)
{
	if (!unwind_lock_is_forking())
		atomic_store_explicit(&holder, 0, memory_order_release);
}

void unwind_lock_for_fork(void)
{
	while (!unwind_lock_try())
		;
	atomic_store_explicit(&forking, this_thread(), memory_order_relaxed);
}

void unwind_lock_after_fork(void)
{
	atomic_store_explicit(&forking, 0, memory_order_relaxed);
	unwind_lock_release();
}

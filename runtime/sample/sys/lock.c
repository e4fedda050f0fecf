/*
 * Bounded waits.  What others do under such a lock needs a few microseconds, unless the thread was
 * preempted, for which yielding helps, or reads pages for the first time.  At a program's start all
 * is done for the first time, often by several threads at once, and what is given up then is
 * missing from stacks of long waits.  Later the patience is used up slowly or not at all, and a
 * process that does use it up has lost no more than that.
 */
#include "runtime/sample/sys/lock.h"

#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/poison.h"

#define PAUSE	   16	     /* steps of a round, some 30 ns */
#define YIELD_EACH 64	     /* rounds */
#define SHORT	   512	     /* rounds that anyone may wait */
#define LONG	   16384     /* rounds of one attempt */
#define ALL	   (1 << 20) /* rounds of the process beyond short ones */

/* Rounds beyond short ones.  W: any thread.  A fork's child goes on with its parent's. */
static _Atomic unsigned spent;

bool bounded_wait(unsigned round)
{
	if (round >= SHORT) {
		if (round >= LONG || atomic_load_explicit(&spent, memory_order_relaxed) >= ALL)
			return false;
		atomic_fetch_add_explicit(&spent, 1, memory_order_relaxed);
	}
	for (volatile unsigned pause = 0; pause < PAUSE; pause++)
		;
	if (round % YIELD_EACH == YIELD_EACH - 1)
		sys_yield();
	return true;
}

bool bounded_wait_lock(_Atomic uint32_t *lock)
{
	for (unsigned round = 0;; round++) {
		if (!atomic_load_explicit(lock, memory_order_relaxed) && lock_try(lock))
			return true;
		if (!bounded_wait(round))
			return false;
	}
}

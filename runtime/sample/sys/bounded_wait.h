/*
 * How long a signal handler waits for another thread that does the same work: bounded each time,
 * and longer than some 20 us only as long as the process has patience left.
 */
#ifndef RUNTIME_SAMPLE_SYS_BOUNDED_WAIT_H
#define RUNTIME_SAMPLE_SYS_BOUNDED_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Wait a little, for the `round`th time (from 0) of one attempt; the processor is given to others
 * now and then.  Returns false if the caller must do without: always after some 20 us of attempts
 * if all threads together have waited some 50 ms beyond that since the process started, and else
 * after about a millisecond.  Context: signal. */
bool bounded_wait(unsigned round);

/* Take a lock of runtime/sample/sys/lock.h if it is free or becomes free in that time.  Returns
 * true if the caller now holds it.  Context: signal. */
bool bounded_wait_lock(_Atomic uint32_t *lock);

#endif

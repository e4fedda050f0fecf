/*
 * The first period of a counter: random, so that threads shorter than a period are sampled without
 * a preferred place.
 *
 * A counter with period P whose first overflow comes after r events, r uniform in 1 … P, overflows
 * at r, r + P, r + 2P, …  Then each event of the thread is an overflow with chance 1/P, the first
 * as likely as the last, however short the thread is.  So the estimate without bias, of each
 * function and of the whole, is P for each overflow (systematic sampling, or Horvitz-Thompson).
 * The counter itself has counted only r at the first of them.  Weighing that sample by r would
 * favour what a thread does late: the earlier an overflow, the less it would weigh.  So a counter
 * is taken to have begun P - r events before its thread, and its first sample weighs as any other.
 *
 * The account stays exact: counted = in stacks + paused + lost + unsampled.  For one thread,
 * `unsampled` is what was counted after its last sample, less P - r.  It lies between -P and P, and
 * its mean over threads is 0.  A clock's has also what the clock leaves out: counters.h.
 *
 * The kernel has no first period.  An event that is open can get another period only through its
 * descriptor, which is closed, and that starts the period again.  So the event opens with the
 * period r, and with the first sample it is replaced by one with the period P (reopen.h).  Until
 * then it may overflow again, in a long system call: overflows less than P after the last sample
 * are passed over, and the next sample has their events (account_sample.c).  When such a call has
 * filled the ring, the rest of a clock's time joins its last sample.
 */
#ifndef RUNTIME_SAMPLE_PERF_FIRST_PERIOD_H
#define RUNTIME_SAMPLE_PERF_FIRST_PERIOD_H

#include <stdint.h>

/* A first period is at least the period's 8th part, because until the replacement the event
 * overflows that often.  That of a clock is also longer than its interrupt and a sample take, or
 * the thread would never come to the handler: clocks of 10 kHz and more begin with a full period.
 */
#define FIRST_PERIOD_LEAST    8
#define FIRST_PERIOD_CLOCK_NS 100000

/* Returns the first period for a random number of 64 bits: a number in 1 … period, at least
 * `least` and the period's 8th part.  Context: any. */
uint64_t first_period_of(uint64_t random, uint64_t period, uint64_t least);

/* Returns a random first period for the calling thread.  `which` tells its counters apart.
 * Context: thread, signal. */
uint64_t first_period_draw(uint64_t period, uint64_t least, unsigned which);

#endif

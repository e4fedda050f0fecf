/* Takes the part of a spool that lies in a window (window.h). */
#ifndef RUNTIME_PROFILE_TIME_WINDOW_CUT_H
#define RUNTIME_PROFILE_TIME_WINDOW_CUT_H

#include <stdint.h>

struct spool_read;

/* How exact the weights of a window are. */
struct window_cut_loss {
	uint64_t joined; /* samples that were joined with others, so that their stacks are not known
			  */
	uint64_t dropped; /* samples of the whole run without a time: they are in no window */
	double squares;	  /* sum of the squares of the samples of each entry that joins several */
};

/* Returns the last moment at which the process of a spool is known to have run, as far as the spool
 * says: its end, or the last time in it.  CLOCK_MONOTONIC. */
uint64_t window_cut_last(const struct spool_read *spool);

/* Leave in the logs of a spool, and in its weights, only what lies between two moments of its
 * CLOCK_MONOTONIC: samples and marks from from_ns up to but not including to_ns (UINT64_MAX: all
 * later ones), and of the time off the processor the part in between.  So the weights of adjacent
 * windows add up to the whole.  Totals and counts that are not known by time become 0;
 * SPOOL_COUNT_SAMPLES and SPOOL_COUNT_LOG_THINNED are those of the window.  What is not exact is
 * added to *loss.  Context: the spool was read with spool_read_timed_fd(). */
void window_cut(struct spool_read *spool, uint64_t from_ns, uint64_t to_ns,
		struct window_cut_loss *loss);

/* Returns the standard deviation of the samples of a set of stacks, at most, in samples.  An entry
 * that joins s samples, n of them of the set, counts s of the set with a chance of n/s, and none
 * otherwise.  Its variance is n(s - n), at most s^2/4, and entries are independent. */
double window_cut_deviation(const struct window_cut_loss *loss);

#endif

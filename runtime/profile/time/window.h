/* A part of the time of a profile, as a user names it: `--from T --to T`. */
#ifndef RUNTIME_PROFILE_TIME_WINDOW_H
#define RUNTIME_PROFILE_TIME_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool_read;

enum window_base {
	WINDOW_OPEN,  /* no bound */
	WINDOW_START, /* ns after the start of the profile */
	WINDOW_END,   /* ns before its end */
	WINDOW_CLOCK, /* ns of CLOCK_REALTIME */
	WINDOW_DAY,   /* ns after midnight, local time, of a day of the profile */
};

struct window_moment {
	enum window_base base;
	uint64_t ns;
};

/* The moments from `from` up to but not including `to`. */
struct window {
	struct window_moment from;
	struct window_moment to;
};

/* The same as CLOCK_REALTIME; 0 and UINT64_MAX where there is no bound. */
struct window_span {
	uint64_t from_ns;
	uint64_t to_ns;
};

/* Parse a moment: a duration since the start, one before the end (-5s), or a time of day with or
 * without a date.  Times without a zone are local, and of the hour that a clock shows twice they
 * mean the first.  Returns 0, or -EINVAL with `line` filled.  `name` is that of the option. */
int window_parse(const char *name, const char *text, struct window_moment *moment, char *line,
		 size_t bytes);

/* Returns whether a window has a bound. */
bool window_is_set(const struct window *window);

/* Place a window in a profile that lasted from start_ns to end_ns, CLOCK_REALTIME.  A time of day
 * is the last one in the profile, or else the nearest; as `to`, it is the first one after `from`. A
 * bound at the profile's own start or end, or outside, is none.  Returns 0; or -ERANGE with `line`
 * filled if the window is empty, or holds nothing of the profile. */
int window_place(const struct window *window, uint64_t start_ns, uint64_t end_ns,
		 struct window_span *span, char *line, size_t bytes);

/* How exact the weights are of the part of a spool that lies in a window. */
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

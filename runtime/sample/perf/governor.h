/*
 * The governor of the sampling rate: no setting may leave the program without time of its own.
 *
 * A counter that overflows more often than a sample can be taken has its next overflow pending
 * when the handler returns, and the program never runs again, not even to receive SIGTERM.  The
 * kernel does not help: it throttles no clock (hrtimers are clamped at 10 us).  So a very short
 * period is raised before the start to twice what a sample costs (cost_trial.h); and while it runs,
 * the period of a counter that leaves a thread less than a quarter of its time is doubled, as often
 * as that takes (reopen.h).  What was raised in one thread holds for those that start later.
 *
 * What the kernel takes for an overflow is known from the trial.  It would cost a short process
 * more than all of its samples, so periods that are hardly ever too short (10 kHz) have none: there
 * it is learnt from how long an overflow in user code takes to reach the handler.
 *
 * While sampling is paused, clocks rest: their period is that of a heartbeat, at which the thread
 * looks whether somebody has opened the window.
 */
#ifndef RUNTIME_SAMPLE_PERF_GOVERNOR_H
#define RUNTIME_SAMPLE_PERF_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event_attr;

#define GOVERNOR_TRIAL_NS 100000ULL   /* periods below this are tried before the start */
#define GOVERNOR_BEAT_NS  10000000ULL /* of a clock that rests */
#define GOVERNOR_FAST_NS  200000ULL   /* periods below this may be too short, unless tried */
#define GOVERNOR_CLOCK_NS 10000ULL    /* the kernel's least period of a clock */
#define GOVERNOR_TURNS	  64	      /* judged together: some 2 ms where a turn is the period */

/* Of one thread.  W, R: its handler; starts as zeros. */
struct governor {
	uint64_t began_ns; /* CLOCK_MONOTONIC, of this turn */
	bool overflowed;   /* a record of this turn is younger than that */
	uint64_t left_ns;  /* the thread's CPU time when the handler was last left; 0: not known */
	unsigned stale;	   /* signals since then that brought no turn */
	uint64_t arrival_ns; /* this turn: from an overflow in user code to the handler; 0: none */
	uint64_t least_ns;   /* … the least of those since the last judgement … */
	uint64_t learnt_ns;  /* … and before it */
	unsigned turns;	     /* since the last judgement … */
	unsigned starved;    /* … and of these, turns that left it no time */
};

/* One turn of the handler, which `own_ns` of the thread's CPU time went into. */
struct governor_turn {
	uint64_t gap_ns; /* since the turn before, from its end on; UINT64_MAX: not known */
	uint64_t own_ns;
	uint64_t arrival_ns; /* from an overflow in user code to the turn; 0: not known */
	unsigned signals;    /* of which this is the last: the others' records were read before */
	bool overflowed;     /* the next overflow came before the turn's end */
};

/* The shortest period that leaves the program half of its time, for what a sample costs.
 * Context: any. */
uint64_t governor_least_ns(uint64_t cost_ns);

/* Take note of a turn.  `signal_ns` is what the kernel spends on an overflow's signal; where that
 * is not known, 0, it is learnt, but for periods that should have been tried.  Until it is, a turn
 * must not take much longer than `period_ns`.  True if the thread makes no progress: its period is
 * to be doubled.  Context: signal. */
bool governor_turn(struct governor *governor, const struct governor_turn *turn, uint64_t signal_ns,
		   uint64_t period_ns);

/* How long a clock rests that finds itself paused at now_ns: shorter before a window that is known
 * to open at from_ns.  Context: any. */
uint64_t governor_beat_ns(uint64_t now_ns, uint64_t from_ns, uint64_t period_ns);

/* Periods that were raised while the process ran, by counter; 0: as planned.  Kept by fork. */
void governor_start(void);
void governor_raise(unsigned counter, uint64_t period);
uint64_t governor_raised(unsigned counter);

/* Have an event overflow at this period, or less often if it does already.  Context: any. */
void governor_slow(struct perf_event_attr *attr, uint64_t period);

/* What a counter's period is: that of a frequency as the kernel makes one of it.  Context: any. */
uint64_t governor_period(const struct perf_event_attr *attr);

#endif

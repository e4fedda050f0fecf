/*
 * The governor of the sampling rate: under any setting, the program keeps some CPU time for itself.
 *
 * A counter that overflows more often than a sample can be taken has its next overflow pending
 * when the handler returns.  Then the program never runs again, not even to receive SIGTERM.  The
 * kernel does not help: it throttles no clock (hrtimers are clamped at 10 us).  So a very short
 * period is raised before the start to twice the cost of a sample (plan.h).  While the
 * program runs, the period of a counter that leaves a thread less than a quarter of its time is
 * doubled as often as necessary (reopen.h).  A period raised in one thread also holds for threads
 * that start later.
 *
 * The trial measures the kernel's time per overflow.  In a short process the trial would cost more
 * than all samples, so periods that are hardly ever too short (10 kHz) have no trial.  For these
 * the governor learns that time from the delay between an overflow in user code and the handler.
 *
 * While sampling is paused, clocks rest: they tick at the period of a heartbeat.  At each heartbeat
 * the thread checks whether the window is open.
 */
#ifndef RUNTIME_SAMPLE_PERF_GOVERNOR_H
#define RUNTIME_SAMPLE_PERF_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event_attr;

#define GOVERNOR_TRIAL_NS 100000ULL   /* shorter periods are tried before the start */
#define GOVERNOR_BEAT_NS  10000000ULL /* heartbeat of a resting clock */
#define GOVERNOR_FAST_NS  200000ULL   /* shorter periods may be too short, unless tried */
#define GOVERNOR_CLOCK_NS 10000ULL    /* the shortest period of a clock in the kernel */
#define GOVERNOR_TURNS	  64 /* number of turns per judgement: some 2 ms if a turn is the period */

/* State of one thread.  A turn is one run of its handler.  W, R: the handler; starts as zeros, but
 * began_ns. */
struct governor {
	uint64_t began_ns; /* CLOCK_MONOTONIC, start of this turn; UINT64_MAX between turns */
	bool overflowed;   /* this turn read a record that is younger than began_ns */
	uint64_t left_ns;  /* the thread's CPU time when the handler last returned; 0: not known */
	unsigned stale;	   /* signals since then that started no turn */
	uint64_t arrival_ns; /* this turn: from an overflow in user code to the handler; 0: none */
	uint64_t least_ns;   /* the shortest of these since the last judgement … */
	uint64_t learnt_ns;  /* … and before it */
	unsigned turns;	     /* since the last judgement, a long one counted several times … */
	unsigned starved;    /* … and those of them that left the thread no time */
};

/* One turn of the handler.  It used `own_ns` of the thread's CPU time. */
struct governor_turn {
	uint64_t gap_ns; /* from the end of the previous turn; UINT64_MAX: not known */
	uint64_t own_ns;
	uint64_t arrival_ns; /* from an overflow in user code to the turn; 0: not known */
	unsigned signals; /* since the previous turn, with this one; the records of the others were
			     read before */
	bool overflowed;  /* the next overflow came before the end of the turn */
};

/* The shortest period that leaves the program half of its time if a sample costs `cost_ns`. */
#define GOVERNOR_LEAST_NS(cost_ns) (2 * (cost_ns))

/* Records a turn.  `signal_ns` is the time that the kernel spends on the signal of an overflow.
 * If it is 0, not known, the governor learns it, except for periods that should have been tried.
 * Until it is learnt, a turn must not take much longer than `period_ns`.  Returns true if the
 * thread makes no progress: its period is to be doubled.  Context: signal. */
bool governor_turn(struct governor *governor, const struct governor_turn *turn, uint64_t signal_ns,
		   uint64_t period_ns);

/* One stack in 1 << `backoff` is walked, and a walk takes `cost_ns`.  Returns the backoff from now
 * on: one more if walks take more than a quarter of `period_ns` on average, one less if twice as
 * many walks would take less than that.  Context: signal. */
unsigned governor_backoff(unsigned backoff, uint64_t cost_ns, uint64_t period_ns);

/* Returns the period of a clock that is paused at now_ns.  It is shorter before a window that is
 * known to open at from_ns, and never below period_ns.  Context: any. */
uint64_t governor_beat_ns(uint64_t now_ns, uint64_t from_ns, uint64_t period_ns);

/* Periods that were raised while the process ran, by counter; 0: as planned.  fork keeps them. */
void governor_start(void);
void governor_raise(unsigned counter, uint64_t period);
uint64_t governor_raised(unsigned counter);

/* Makes an event overflow once per `period`, unless it overflows less often already.  Context:
 * any. */
void governor_slow(struct perf_event_attr *attr, uint64_t period);

/* Returns kernel.perf_event_max_sample_rate in Hz, the highest frequency that a counter may ask
 * for, or the kernel's default if it cannot be read.  perf_event_open(2) returns EINVAL for a
 * higher one. The kernel lowers the limit by itself, at any time, when its interrupts take too long
 * (kernel.perf_cpu_time_max_percent).  Context: init, thread start. */
uint64_t governor_limit_hz(void);

/* Lowers an event's frequency to `limit_hz`.  Returns false if the event is not sampled by
 * frequency or its frequency is within the limit.  Context: any. */
bool governor_limit(struct perf_event_attr *attr, uint64_t limit_hz);

/* Returns a counter's period.  A frequency is converted as the kernel does it.  Context: any. */
uint64_t governor_period(const struct perf_event_attr *attr);

#endif

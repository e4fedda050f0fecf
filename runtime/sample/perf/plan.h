/*
 * What a process opens for each of its threads, and the sampling periods.  plan_make.h makes the
 * plan once, by trying.
 */
#ifndef RUNTIME_SAMPLE_PERF_PLAN_H
#define RUNTIME_SAMPLE_PERF_PLAN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/events/events.h"
#include "runtime/sample/perf/ring.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/spool/format.h"

#define PLAN_PAGES_USER_ONLY 1 /* each record has its own signal */

struct plan {
	enum spool_engine engine;
	struct events events;
	struct perf_event_attr attr[EVENTS_MAX];
	bool available[EVENTS_MAX]; /* it opened in the trial */
	bool pending[EVENTS_MAX];   /* no loaded object had its symbol: pending_watch.h */
	bool kernel;		    /* the kernel side is included */
	bool faults;		    /* page faults are sampled: mapping_table.h */
	const char *spared;	    /* why the engine left out part of the kernel side, or NULL */
	struct record_format format;
	unsigned ring_pages;
	int refused;		/* -errno of the first refusal; 0: none */
	unsigned refused_event; /* index of the event that was refused */
	/* shortest time between samples of a clock; 0: no clock.  W: also reopen.c.  R: handlers */
	_Atomic uint64_t busy_period_ns;
	uint64_t timer_period_ns;    /* of threads that use a timer instead of counters */
	uint64_t freq_asked_hz;	     /* the frequency asked for, if above the limit; else 0 */
	uint64_t freq_limit_hz;	     /* the limit in that case */
	uint64_t cost_ns;	     /* of a sample, if it made a period be raised; else 0 */
	uint64_t raised_from_ns;     /* in that case, the period asked for … */
	uint64_t raised_to_ns;	     /* … and the period in use */
	uint64_t signal_ns;	     /* the kernel's time per overflow; 0: not known */
	char asked[EVENTS_NAME_MAX]; /* the first refused event, as the user named it */
};

/* True for a counter that opened and takes samples.  Context: any. */
static inline bool plan_takes_samples(const struct plan *plan, unsigned counter)
{
	return plan->available[counter] && plan->events.event[counter].leader == counter;
}

/* Sets plan->busy_period_ns from the leaders that opened.  Context: init. */
void plan_period_note(struct plan *plan);

/* If a clock's period is near the cost of a sample, measures that cost, and raises the period if
 * it would leave the program too little time (governor.h).  Several clocks share the available
 * time.  Context: init, after unwind_start. */
void plan_period_try(struct plan *plan, siginfo_sigaction *set_action);

/* True for a counter that is a clock of the thread's CPU time and takes samples.  Context: any. */
bool plan_period_is_clock(const struct plan *plan, unsigned counter);

/* True for a clock, and for a counter that our own handler makes overflow, such as cycles.
 * Context: any. */
bool plan_period_is_of_time(const struct plan *plan, unsigned counter);

#endif

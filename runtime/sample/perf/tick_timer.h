/*
 * A thread's timer on its CPU time, which the kernel's tick checks: of the timer engine, or in
 * place of a clock (rate/counters.h).
 */
#ifndef RUNTIME_SAMPLE_PERF_TICK_TIMER_H
#define RUNTIME_SAMPLE_PERF_TICK_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/tree/tree.h"

/* W, R: the thread, its handler. */
struct tick_timer {
	int id;		   /* CLOCK_NO_TIMER: none */
	uint64_t rings_ns; /* not before this time of its clock */
	bool held;	   /* the thread begins paused: no timer before that */
	bool paused;	   /* between thread_pause and thread_resume */
	bool rang;	   /* it rang, or may have, before it was paused */
	unsigned counter;  /* the one that it samples, index into plan.events */
	bool replaces_clock;
	bool young;   /* the thread began without its clock, and is still young: start_budget.h */
	bool counted; /* as that of a thread whose clock was exchanged */
	/* If it replaces a clock: */
	uint64_t cpu_ns;	 /* CPU time up to the last weighed sample */
	struct stack_taken last; /* the stack of that sample */
};

#endif

/*
 * Threads that are switched so often that starting and stopping their clock costs more than what
 * they do.  A thread's switches are compared with its CPU time: that tells whether its clock is to
 * be exchanged for a timer (counters.h), or the timer for the clock.
 */
#ifndef RUNTIME_SAMPLE_SWITCHES_H
#define RUNTIME_SAMPLE_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

struct plan;

/* Of a thread's first turns each one looks, later one in so many. */
#define SWITCHES_EAGER_TURNS 16

/* The watch over one thread.  W, R: the thread, its handler. */
struct switches {
	uint64_t switched; /* at the window's start */
	uint64_t cpu_ns;   /* the same */
	uint64_t patience_ns;
	unsigned turns;
	bool watched; /* there is a clock that may be exchanged */
	bool held;    /* between thread_pause and thread_resume: nothing may be opened */
	bool refused; /* there was no timer to be had.  W: counters.c */
};

/* What is best for the thread. */
enum switches_verdict {
	SWITCHES_STAY,
	SWITCHES_COARSEN, /* exchange the clock for a timer */
	SWITCHES_REFINE,  /* exchange the timer for the clock */
};

/* Choose the clock that may be exchanged, when the plan is made.  Context: init. */
void switches_plan(const struct plan *plan);

/* Returns the counter of that clock, or GROUP_NONE.  Context: any. */
unsigned switches_clock(void);

/* Begin to watch the calling thread; `ran_before` if it did something before its clock ran.
 * Context: thread. */
void switches_start(struct switches *watch, bool ran_before);

/* Is this one of the turns that look at the calling thread's switches?  Context: signal, end of the
 * handler. */
static inline bool switches_are_due(struct switches *watch)
{
	if (!watch->watched || watch->held || watch->refused)
		return false;
	return ++watch->turns <= SWITCHES_EAGER_TURNS || watch->turns % SWITCHES_EAGER_TURNS == 0;
}

/* Look at them; the thread has a timer if it is `coarse`, which serves as long as samples are
 * `wanted`.  Context: as switches_are_due, if that says so. */
enum switches_verdict switches_look(struct switches *watch, bool coarse, bool wanted);

/* It has its clock back because it was calm: the next time that takes longer.  Context: the same.
 */
void switches_refined(struct switches *watch);

/* The thread ends, with a timer if it is `coarse`: that tells what the next begins with.
 * Context: thread. */
void switches_end(bool coarse);

/* Did most of the last threads end with a timer?  Context: any. */
bool switches_are_usual(void);

#endif

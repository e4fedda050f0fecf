/*
 * Finds threads that are switched so often that starting and stopping their clock costs more than
 * the work they do.  The number of a thread's context switches is compared with its CPU time.  The
 * result decides whether its clock is exchanged for a timer (counters.h), or the timer for the
 * clock.
 */
#ifndef RUNTIME_SAMPLE_PERF_SWITCHES_H
#define RUNTIME_SAMPLE_PERF_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event_attr;
struct plan;

/* Each of a thread's first turns checks its switches, later only one turn in this many. */
#define SWITCHES_EAGER_TURNS 16

/* Context switches and CPU time of a thread: getrusage(2). */
struct switches_counts {
	uint64_t waits; /* ru_nvcsw */
	uint64_t
		others; /* ru_nivcsw: for the turn of another thread, or yielded (sched_yield(2)) */
	uint64_t cpu_ns;
};

/* State of the check for one thread.  W, R: the thread, its handler. */
struct switches {
	struct switches_counts window; /* at its start */
	uint64_t patience_ns;
	unsigned turns;
	bool watched; /* the plan has a clock that may be exchanged */
	bool held;    /* between thread_pause and thread_resume: no event may be opened */
	bool refused; /* no timer could be opened.  W: counters.c */
};

/* The best choice for the thread. */
enum switches_verdict {
	SWITCHES_STAY,
	SWITCHES_TO_TIMER, /* exchange the clock for a timer */
	SWITCHES_TO_CLOCK, /* exchange the timer for the clock */
};

/* Choose the clock that may be exchanged.  Called when the plan is made.  Context: init. */
void switches_plan(const struct plan *plan);

/* Returns the index of that clock in the plan, or GROUP_NONE.  Context: any. */
unsigned switches_clock(void);

/* Returns how many times the CPU time must be what the switches of clocks cost, or the starts of
 * threads with one (start_budget.c); 0: there is no such clock.  Context: any. */
uint64_t switches_budget(void);

/* Begin to watch the calling thread.  `ran_before`: it did some work before its clock ran.
 * Context: thread. */
void switches_start(struct switches *watch, bool ran_before);

/* Returns true if this turn has to check the calling thread's switches.  Context: signal, end of
 * the handler. */
static inline bool switches_are_due(struct switches *watch)
{
	if (!watch->watched || watch->held || watch->refused)
		return false;
	return ++watch->turns <= SWITCHES_EAGER_TURNS || watch->turns % SWITCHES_EAGER_TURNS == 0;
}

/* Check the switches.  `ticks`: the thread has a tick timer.  It keeps the timer only while samples
 * are `wanted`.  Context: as switches_are_due, after it has returned true. */
enum switches_verdict switches_look(struct switches *watch, bool ticks, bool wanted);

/* Note that the thread has its clock back because it was calm.  The next exchange back takes
 * longer.  Context: as above. */
void switches_calmed(struct switches *watch);

/* Note that the thread began with a timer, but not because others switched often.  It gets its
 * clock after patience_ns of CPU time already, if it is calm.  Context: thread. */
void switches_hurry(struct switches *watch, uint64_t patience_ns);

/* Note the end of the calling thread, which has used cpu_ns of CPU time.  `ticks`: it has a timer.
 * The result decides how later threads start.  Context: thread. */
void switches_end(bool ticks, uint64_t cpu_ns);

/* Returns true if most of the last threads ended with a timer.  Context: any. */
bool switches_are_usual(void);

/* Measures what a context switch costs the calling thread, which has an enabled clock made of
 * *attr: the clock's kernel timer is cancelled when the thread leaves the processor, and started
 * when it comes back.  Takes some 0.1 ms.  Returns nanoseconds; 0: it could not be measured.
 * Context: thread, signal. */
uint64_t switches_measure_cost(const struct perf_event_attr *attr);

/* The clocks of threads that start and end have a budget.  When half of it is spent, one thread in
 * 2, 4, … begins with its clock, drawn by chance, and stands for as many: its samples weigh so much
 * more.  The others begin with a timer that rings once they are old, so that a thread that lives on
 * gets its clock (counters.h).  The account is that of a first period (first_period.h): counted =
 * in stacks + unsampled, which may be negative for one thread, and has the mean 0.
 *
 * A thread is young up to so much CPU time. */
#define START_BUDGET_YOUNG_NS 20000000ULL

/* State of one thread.  W, R: the thread, its handler. */
struct start_budget {
	/* As many threads as samples of its clock stand for, itself and others, while it is young
	 */
	uint32_t stands_for;
};

/* Returns for how many threads the calling thread stands, if it begins with its clock; 0: it begins
 * without.  Context: thread. */
uint32_t start_budget_draw(void);

/* Take from the budget what a clock cost since `since_ns` (machine_time_now_ns): to be opened,
 * replaced after its first period, or closed.  Context: thread, signal. */
void start_budget_spend(uint64_t since_ns);

/* The child of a fork has used no CPU time yet, and spent nothing.  Context: fork child. */
void start_budget_forget(void);

#endif

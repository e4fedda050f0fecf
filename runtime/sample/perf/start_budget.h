/*
 * The clocks of threads that start and end have a budget.  When half of it is spent, one thread in
 * 2, 4, … begins with its clock, drawn by chance, and stands for as many: its samples weigh so much
 * more. The others begin with a timer that rings once they are old.  So short threads are sampled
 * without bias, whatever they do, and a thread that lives on gets its clock (counters.h).
 *
 * The account is that of a first period (perf/first_period.h): counted = in stacks + unsampled,
 * where `unsampled` may be negative for one thread, and its mean is 0 for what chance decides.
 */
#ifndef RUNTIME_SAMPLE_PERF_START_BUDGET_H
#define RUNTIME_SAMPLE_PERF_START_BUDGET_H

#include <stdint.h>

/* A thread is young up to so much CPU time. */
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

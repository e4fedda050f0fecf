/*
 * The budget is a part of the process's CPU time: the same as for switches (switches.h), so 2 % at
 * 999 Hz.  What opening, replacing and closing clocks takes is measured each time and paid for by
 * CPU time: by as much of it as makes that part.  Up to a second of CPU time may be paid with in
 * advance, as many threads start with a program that then runs for long.  What was not spent until
 * then is lost.
 *
 * The chance of a clock follows what is left of that second, so that it changes slowly, and does
 * not depend on what a thread does.
 *
 * The CPU time of a process is the sum over its threads, which is not asked for before half of the
 * last answer is used up, and then every 10 ms at most.
 */
#include "runtime/sample/perf/switches.h"

#include <stdatomic.h>
#include <time.h>

#include "runtime/sample/perf/first_period.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/together.h"

#define MS	      1000000ULL
#define IN_ADVANCE_NS (1000 * MS)
#define ASK_NS	      (10 * MS)
#define COST_MOST_NS  (MS / 10) /* what takes longer was interrupted by others */
#define STANDS_MOST   64
#define DRAW	      1 /* tells the draw from those of first periods */

/* A concurrent update may be lost, which does no harm. */
static _Atomic uint64_t paid_ns TOGETHER;  /* CPU time up to which it is paid with */
static _Atomic uint64_t used_ns TOGETHER;  /* CPU time of the process, when it was asked for */
static _Atomic uint64_t asked_ns TOGETHER; /* CLOCK_MONOTONIC */

static uint64_t left_ns(void)
{
	uint64_t most_ns = atomic_load_explicit(&used_ns, memory_order_relaxed) + IN_ADVANCE_NS;
	uint64_t paid = atomic_load_explicit(&paid_ns, memory_order_relaxed);

	return paid < most_ns ? most_ns - paid : 0;
}

/* Nobody stays in debt, which many threads at once may make. */
static void ask(void)
{
	uint64_t cpu_ns = machine_time_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t paid = atomic_load_explicit(&paid_ns, memory_order_relaxed);

	atomic_store_explicit(&used_ns, cpu_ns, memory_order_relaxed);
	if (paid < cpu_ns)
		atomic_store_explicit(&paid_ns, cpu_ns, memory_order_relaxed);
	if (paid > cpu_ns + IN_ADVANCE_NS)
		atomic_store_explicit(&paid_ns, cpu_ns + IN_ADVANCE_NS, memory_order_relaxed);
}

static void ask_again(void)
{
	uint64_t now_ns = machine_time_now_ns();

	if (now_ns - atomic_load_explicit(&asked_ns, memory_order_relaxed) < ASK_NS)
		return;
	atomic_store_explicit(&asked_ns, now_ns, memory_order_relaxed);
	ask();
}

uint32_t start_budget_draw(void)
{
	uint32_t stands_for = 1;

	if (left_ns() >= IN_ADVANCE_NS / 2)
		return 1;
	ask_again();
	while (stands_for < STANDS_MOST && left_ns() * stands_for < IN_ADVANCE_NS / 2)
		stands_for *= 2;
	return first_period_draw(stands_for, 1, DRAW) == stands_for ? stands_for : 0;
}

void start_budget_spend(uint64_t since_ns)
{
	uint64_t cost_ns = machine_time_now_ns() - since_ns;

	cost_ns = cost_ns < COST_MOST_NS ? cost_ns : COST_MOST_NS;
	atomic_fetch_add_explicit(&paid_ns, cost_ns * switches_budget(), memory_order_relaxed);
}

void start_budget_forget(void)
{
	atomic_store_explicit(&paid_ns, 0, memory_order_relaxed);
	atomic_store_explicit(&used_ns, 0, memory_order_relaxed);
	atomic_store_explicit(&asked_ns, 0, memory_order_relaxed);
}

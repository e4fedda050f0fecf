/*
 * The switches of a thread's clock have a budget: 2 % of the thread's CPU time, which at 999 Hz is
 * what its samples cost; with a shorter period as much as the samples.  The clock is given up when
 * its switches have used more in a window, and taken back if they would use a quarter of it.  Each
 * return doubles the time before the next one.  What a switch costs is measured once in a process,
 * when a thread first waits so often that it matters.
 *
 * A thread that is only interrupted by others keeps its clock up to 20,000 times in a second: where
 * many compete for a processor, the tick that ends a thread's turn samples it unevenly.
 *
 * getrusage(2) with RUSAGE_THREAD reports switches and CPU time in one call.
 */
#include "runtime/sample/perf/switches.h"

#include <stdatomic.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include "config/events/known.h"
#include "runtime/sample/perf/governor.h"
#include "runtime/sample/perf/group.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/poison.h"

#define US		 1000ULL
#define MS		 (1000 * US)
#define BUDGET		 50	   /* switches may cost this part of the CPU time ... */
#define SAMPLE_NS	 (20 * US) /* ... or what the samples do, each so much */
#define COST_MOST_NS	 (25 * US) /* of a switch, in the slowest virtual machines */
#define COST_LEAST_NS	 US	   /* where it is not known, and for each that is not a wait */
#define CALMER		 4
#define WINDOW_NS	 (20 * MS) /* of CPU time, after which a new window begins */
#define PATIENCE_NS	 (100 * MS)
#define PATIENCE_MOST_NS (100 * PATIENCE_NS)
/* A clock slower than the kernel's tick is rarely the next timer to fire, so it costs little. */
#define PERIOD_MOST_NS (5 * MS)
#define USEFUL_NS      (50 * MS) /* of CPU time: too few ticks hit a shorter thread */
#define TRIES	       5	 /* of a measurement */
#define HISTORY	       16	 /* number of ended threads */
#define USUAL	       12	 /* this many of them */

static unsigned clock_counter = GROUP_NONE;
static const struct perf_event_attr *clock_attr;
static uint64_t budget;		 /* the CPU time may be this many times what switches cost */
static _Atomic uint64_t cost_ns; /* of a switch; 0: not measured yet */
static _Atomic uint32_t history; /* one bit per recent thread: it ended with a timer */

static bool is_alone(const struct plan *plan, unsigned counter)
{
	for (unsigned i = 0; i < plan->events.count; i++)
		if (i != counter && plan->available[i] && plan->events.event[i].leader == counter)
			return false;
	return true;
}

static bool may_be_replaced(const struct plan *plan, unsigned counter)
{
	const struct perf_event_attr *attr = &plan->attr[counter];

	return is_alone(plan, counter) && !attr->exclude_user &&
	       governor_period(attr) <= PERIOD_MOST_NS;
}

void switches_plan(const struct plan *plan)
{
	unsigned clocks = 0, found = GROUP_NONE;

	for (unsigned i = 0; i < plan->events.count; i++) {
		if (!plan_takes_samples(plan, i) ||
		    !known_is_clock(plan->attr[i].type, plan->attr[i].config))
			continue;
		clocks++;
		found = i;
	}
	if (plan->engine != SPOOL_ENGINE_SIGTRAP || clocks != 1 || !may_be_replaced(plan, found) ||
	    !siginfo_timer_is_gentle())
		return;
	clock_counter = found;
	clock_attr = &plan->attr[found];
	budget = governor_period(clock_attr) / SAMPLE_NS;
	budget = budget < 1 ? 1 : budget > BUDGET ? BUDGET : budget;
}

unsigned switches_clock(void)
{
	return clock_counter;
}

uint64_t switches_budget(void)
{
	return budget;
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000 * MS + (uint64_t)time.tv_usec * US;
}

static struct switches_counts now(void)
{
	struct rusage usage;

	if (sys_getrusage(RUSAGE_THREAD, &usage))
		return (struct switches_counts){ 0 };
	return (struct switches_counts){
		.waits = (uint64_t)usage.ru_nvcsw,
		.others = (uint64_t)usage.ru_nivcsw,
		.cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime),
	};
}

void switches_start(struct switches *watch, bool ran_before)
{
	*watch = (struct switches){
		.patience_ns = PATIENCE_NS,
		.watched = clock_counter != GROUP_NONE,
	};
	if (watch->watched && ran_before)
		watch->window = now();
}

/* The least of some: other load on the machine can only lengthen a measurement. */
static uint64_t least_ns(int fd)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t began_ns = machine_time_now_ns(), took_ns;

		if (sys_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ||
		    sys_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
			return 0;
		took_ns = machine_time_now_ns() - began_ns;
		least = took_ns < least ? took_ns : least;
	}
	return least;
}

/* No switch is needed for it: when an event is enabled, the kernel takes all events of its kind off
 * the thread and puts them on again (ctx_resched() in kernel/events/core.c), as at a switch.  The
 * event that is enabled here only counts, so it has no timer of its own.  What that event costs is
 * measured with it: less than a microsecond, where starting a timer in a virtual machine takes six.
 */
uint64_t switches_measure_cost(const struct perf_event_attr *attr)
{
	struct perf_event_attr counts = {
		.type = attr->type,
		.size = sizeof(counts),
		.config = attr->config,
		.disabled = 1,
		.pinned = attr->pinned,
		.exclude_kernel = attr->exclude_kernel,
		.exclude_hv = attr->exclude_hv,
	};
	int fd = sys_perf_event_open(&counts, 0, -1, PERF_FLAG_FD_CLOEXEC);
	uint64_t ns;

	if (fd < 0)
		return 0;
	ns = least_ns(fd);
	sys_close(fd);
	return ns;
}

/* Several threads may measure at once: each finds about the same. */
static uint64_t switch_ns(void)
{
	uint64_t ns = atomic_load_explicit(&cost_ns, memory_order_relaxed);

	if (ns)
		return ns;
	ns = switches_measure_cost(clock_attr);
	ns = !ns ? COST_LEAST_NS : ns > COST_MOST_NS ? COST_MOST_NS : ns;
	atomic_store_explicit(&cost_ns, ns, memory_order_relaxed);
	return ns;
}

static uint64_t cost_of(const struct switches_counts *lately, uint64_t wait_ns)
{
	return (lately->waits * wait_ns + lately->others * COST_LEAST_NS) * budget;
}

/* Without a measured cost no thread has given up its clock. */
static bool is_calm(const struct switches_counts *lately)
{
	uint64_t wait_ns = atomic_load_explicit(&cost_ns, memory_order_relaxed);

	return cost_of(lately, wait_ns) * CALMER < lately->cpu_ns;
}

static enum switches_verdict look_for_calm(struct switches *watch, const struct switches_counts *at,
					   const struct switches_counts *lately)
{
	if (lately->cpu_ns < watch->patience_ns)
		return SWITCHES_STAY;
	watch->window = *at;
	return is_calm(lately) ? SWITCHES_TO_CLOCK : SWITCHES_STAY;
}

static enum switches_verdict look_for_storm(struct switches *watch,
					    const struct switches_counts *at,
					    const struct switches_counts *lately)
{
	uint64_t enough = lately->cpu_ns > WINDOW_NS ? lately->cpu_ns : WINDOW_NS;
	bool storm =
		cost_of(lately, COST_MOST_NS) > enough && cost_of(lately, switch_ns()) > enough;

	if (storm || lately->cpu_ns > WINDOW_NS)
		watch->window = *at;
	return storm ? SWITCHES_TO_TIMER : SWITCHES_STAY;
}

enum switches_verdict switches_look(struct switches *watch, bool ticks, bool wanted)
{
	struct switches_counts at = now(), lately;

	if (!at.cpu_ns)
		return SWITCHES_STAY;
	lately.waits = at.waits - watch->window.waits;
	lately.others = at.others - watch->window.others;
	lately.cpu_ns = at.cpu_ns - watch->window.cpu_ns;
	if (!ticks)
		return look_for_storm(watch, &at, &lately);
	if (wanted)
		return look_for_calm(watch, &at, &lately);
	watch->window = at;
	return SWITCHES_TO_CLOCK; /* a clock can rest: reopen.h */
}

void switches_calmed(struct switches *watch)
{
	if (watch->patience_ns < PATIENCE_MOST_NS)
		watch->patience_ns *= 2;
}

void switches_hurry(struct switches *watch, uint64_t patience_ns)
{
	watch->patience_ns = patience_ns;
}

void switches_end(bool ticks, uint64_t cpu_ns)
{
	uint32_t bits = atomic_load_explicit(&history, memory_order_relaxed);
	bool worth = false;

	if (clock_counter == GROUP_NONE)
		return;
	if (ticks && cpu_ns >= USEFUL_NS) { /* was the timer worth it? */
		struct switches_counts all = now();

		worth = !is_calm(&all);
	}
	/* a concurrent update may lose a bit, which does no harm */
	atomic_store_explicit(&history, bits << 1 | worth, memory_order_relaxed);
}

bool switches_are_usual(void)
{
	uint32_t bits = atomic_load_explicit(&history, memory_order_relaxed);

	return __builtin_popcount(bits & ((1U << HISTORY) - 1)) >= USUAL;
}

/*
 * Only counters of time on the processor have a period in ns.  The shortest of these periods
 * decides whether a trial of a sample's cost is worth its time.
 *
 * The trial takes each sample separately: its handler disables the event, and the next sample
 * enables it again.  So the trial ends however much a sample costs.  A loop reads the clock; the
 * cost is the duration of the loop step in which the sample arrived.
 */
#include "runtime/sample/perf/plan.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>

#include "config/events/known.h"
#include "runtime/sample/perf/governor.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/unwind/unwind.h"

#define SAMPLES	  9
#define COLD	  2 /* of SAMPLES: the first walks, which find no unwind rules yet */
#define TRIES	  (3 * SAMPLES)
#define PERIOD_NS 50000
#define STEPS_MAX 1000000
#define DEPTH	  64

struct cost_trial {
	uint64_t cost_ns;   /* of the whole sample: the interrupt, the signal and the walk */
	uint64_t signal_ns; /* part of cost_ns: the kernel's part, for the signal */
};

static uint64_t period_ns(const struct plan *plan, unsigned counter)
{
	const struct perf_event_attr *attr = &plan->attr[counter];
	const struct event *event = &plan->events.event[counter];

	if (attr->freq && event->type != PERF_TYPE_HARDWARE && event->unit != EVENTS_UNIT_NS)
		return 0;
	if (!attr->freq && (event->unit != EVENTS_UNIT_NS || event->off_cpu))
		return 0;
	return governor_period(attr);
}

void plan_period_note(struct plan *plan)
{
	plan->busy_period_ns = 0;
	for (unsigned i = 0; i < plan->events.count; i++) {
		uint64_t ns = plan_takes_samples(plan, i) ? period_ns(plan, i) : 0;

		if (ns && (!plan->busy_period_ns || ns < plan->busy_period_ns))
			plan->busy_period_ns = ns;
	}
}

/* Raises the periods of all clocks that would overflow more often than once per least_ns.  Notes
 * for the user that a sample costs cost_ns (0: not known). */
static void raise_periods(struct plan *plan, uint64_t least_ns, uint64_t cost_ns)
{
	if (plan->busy_period_ns >= least_ns)
		return;
	plan->cost_ns = cost_ns;
	plan->raised_from_ns = plan->busy_period_ns;
	for (unsigned i = 0; i < plan->events.count; i++)
		if (plan_takes_samples(plan, i) && period_ns(plan, i))
			governor_slow(&plan->attr[i], least_ns);
	plan_period_note(plan);
	plan->raised_to_ns = plan->busy_period_ns;
}

static struct {
	int fd;
	struct unwind_stack stack;
	uint64_t pcs[DEPTH];
	uint64_t walk_ns;	 /* W: the handler */
	volatile unsigned taken; /* W: the handler, after walk_ns */
	struct cost_trial cost;
	int err;
} under_trial;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	int saved = errno;
	uint64_t start_ns = machine_time_now_ns();
	struct unwind_result result;

	(void)signal;
	(void)info;
	sys_ioctl(under_trial.fd, PERF_EVENT_IOC_DISABLE, 0);
	unwind_walk(context, &under_trial.stack, under_trial.pcs, DEPTH, &result);
	under_trial.walk_ns = machine_time_now_ns() - start_ns;
	under_trial.taken++;
	errno = saved;
}

/* Returns the duration of the step in which a sample arrived, or 0 if it came before the first
 * step or not at all. */
static uint64_t longest_step_ns(unsigned before)
{
	uint64_t then_ns = machine_time_now_ns();

	if (under_trial.taken != before)
		return 0;
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		uint64_t now_ns = machine_time_now_ns();

		if (under_trial.taken != before)
			return machine_time_now_ns() -
			       then_ns; /* the sample may have come after the reading */
		then_ns = now_ns;
	}
	return 0;
}

/* Returns the lower quartile: other load on the machine can only lengthen a measurement. */
static uint64_t usual(uint64_t *numbers, unsigned count)
{
	for (unsigned i = 1; i < count; i++)
		for (unsigned k = i; k && numbers[k - 1] > numbers[k]; k--) {
			uint64_t other = numbers[k];

			numbers[k] = numbers[k - 1];
			numbers[k - 1] = other;
		}
	return numbers[count / 4];
}

static int take_samples(struct cost_trial *cost)
{
	uint64_t cost_ns[SAMPLES], walk_ns[SAMPLES];
	unsigned samples = 0;

	for (unsigned i = 0; i < TRIES && samples < SAMPLES; i++) {
		unsigned before = under_trial.taken;

		if (sys_ioctl(under_trial.fd, PERF_EVENT_IOC_ENABLE, 0))
			return -EINVAL;
		cost_ns[samples] = longest_step_ns(before);
		walk_ns[samples] = under_trial.walk_ns;
		samples += cost_ns[samples] != 0;
	}
	if (samples < SAMPLES)
		return -ETIME;
	cost->cost_ns = usual(cost_ns + COLD, SAMPLES - COLD);
	cost->signal_ns = cost->cost_ns - usual(walk_ns + COLD, SAMPLES - COLD);
	if (cost->signal_ns > cost->cost_ns)
		cost->signal_ns = 0;
	return 0;
}

static int open_clock(bool kernel)
{
	struct perf_event_attr attr = {
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = PERIOD_NS,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
		.disabled = 1,
	};

	return sigtrap_trial_open(&attr);
}

static void run(void *unused)
{
	(void)unused;
	under_trial.err = take_samples(&under_trial.cost);
	sys_ioctl(under_trial.fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* Takes a few samples of task-clock in the calling thread, of user code or also of the `kernel`,
 * and stores their cost in under_trial.  Takes about a millisecond.  SIGTRAP has our handler
 * meanwhile.  Returns 0, or -errno if the trial is not possible (before Linux 5.13, or a SIGTRAP
 * of the program is pending). */
static int measure_cost(bool kernel, siginfo_sigaction *set_action)
{
	struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_RESTART };
	uint64_t pending;
	int err;

	/* exec(2) keeps pending signals: such a signal would arrive now */
	if (sys_sigpending(&pending) || pending & SIGTRAP_TRIAL_BIT)
		return -EBUSY;
	under_trial.fd = open_clock(kernel);
	if (under_trial.fd < 0)
		return under_trial.fd;
	unwind_stack_of_thread(&under_trial.stack);
	ours.sa_sigaction = on_trap;
	memset(&ours.sa_mask, 0xff, sizeof(ours.sa_mask));
	err = sigtrap_trial_run(set_action, &ours, run, NULL);
	sys_close(under_trial.fd);
	return err ? err : under_trial.err;
}

static unsigned count_clocks(const struct plan *plan)
{
	unsigned clocks = 0;

	for (unsigned i = 0; i < plan->events.count; i++)
		clocks += plan_takes_samples(plan, i) && period_ns(plan, i);
	return clocks;
}

void plan_period_try(struct plan *plan, siginfo_sigaction *set_action)
{
	unsigned clocks = count_clocks(plan);

	governor_start();
	if (plan->engine == SPOOL_ENGINE_TIMER || !clocks ||
	    plan->busy_period_ns >= clocks * GOVERNOR_TRIAL_NS)
		return;
	if (!measure_cost(plan->kernel, set_action)) {
		plan->signal_ns = under_trial.cost.signal_ns;
		raise_periods(plan, GOVERNOR_LEAST_NS(clocks * under_trial.cost.cost_ns),
			      under_trial.cost.cost_ns);
	} else if (clocks > 1) {
		/* the interrupts of two clocks alone may use up all time */
		raise_periods(plan, GOVERNOR_LEAST_NS(clocks * GOVERNOR_CLOCK_NS), 0);
	}
}

bool plan_period_is_clock(const struct plan *plan, unsigned counter)
{
	const struct perf_event_attr *attr = &plan->attr[counter];

	return plan_takes_samples(plan, counter) && known_is_clock(attr->type, attr->config);
}

bool plan_period_is_of_time(const struct plan *plan, unsigned counter)
{
	uint32_t type = plan->attr[counter].type;

	return plan_period_is_clock(plan, counter) ||
	       (type != PERF_TYPE_SOFTWARE && type != PERF_TYPE_TRACEPOINT &&
		type != PERF_TYPE_BREAKPOINT);
}

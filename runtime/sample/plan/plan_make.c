/*
 * Turns the user's events into attributes that open here.  Each counter is tried in its richest
 * form first.  A refusal by the kernel narrows the plan for all counters, and the user is told.
 */
#include "runtime/sample/plan/plan_make.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "config/events/known.h"
#include "config/settings/settings.h"
#include "runtime/sample/perf/counter_read.h"
#include "runtime/sample/elf/loader.h"
#include "runtime/sample/perf/governor.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/objects/mapping_table.h"
#include "runtime/sample/sys/proc.h"

#define PAGES_SHARED 16 /* a long system call writes many records before one signal */
#define PAGES_WITH_MAPPINGS \
	4 /* mapping records, about 120 bytes each, wait in the ring for a fault */
/* Number of switches recorded without a sample (out and in, 16 bytes each) that the ring can
 * hold. */
#define SWITCHES_RECORDED 1000
#define NS_PER_S	  1000000000ULL

/* Requests all fields that record.c needs to parse the records. */
static void complete_attr(const struct plan *plan, unsigned counter)
{
	struct perf_event_attr *attr = (struct perf_event_attr *)&plan->attr[counter];
	const struct event *leader = &plan->events.event[plan->events.event[counter].leader];
	bool leads = plan->events.event[counter].leader == counter;

	attr->size = sizeof(*attr);
	counter_read_prepare(attr);
	attr->use_clockid = 1;
	attr->clockid = leader->has_clock ? leader->clockid : CLOCK_MONOTONIC;
	attr->read_format = plan->format.read_format;
	if (!leads) {
		attr->sample_period = 0;
		attr->freq = 0;
		return;
	}
	attr->disabled = 1;
	if (plan->engine == SPOOL_ENGINE_SIGTRAP) {
		attr->sigtrap = 1;
		attr->remove_on_exec = 1; /* sigtrap requires it */
		attr->sig_data = SIGINFO_COOKIE;
	}
	attr->sample_type = plan->format.sample_type;
	attr->exclude_callchain_user = 1;
	attr->watermark = 1; /* no poll(2) is used: no wake-up per record */
	attr->wakeup_watermark = UINT32_MAX;
	attr->sample_id_all = plan->format.trailer;
	/* Reports code that the kernel creates for this process: BPF programs (since Linux 5.1).
	 * A kernel that knows sigtrap (5.13) or lost counts (6.0) also knows this. */
	attr->ksymbol = !attr->exclude_kernel && (plan->engine == SPOOL_ENGINE_SIGTRAP ||
						  plan->format.read_format & PERF_FORMAT_LOST);
	if (plan->events.event[counter].off_cpu) {
		attr->exclude_kernel = 0; /* a switch happens in the kernel */
		attr->freq = 0;
		attr->sample_period =
			plan->events.event[counter].period ? plan->events.event[counter].period : 1;
		/* records the switches in, with their time */
		attr->context_switch = attr->sample_period <= SWITCHES_RECORDED;
	}
}

static bool any_off_cpu(const struct events *events)
{
	for (unsigned i = 0; i < events->count; i++)
		if (events->event[i].off_cpu)
			return true;
	return false;
}

/* PERF_SAMPLE_PERIOD is left out: with it, a software event overflows at each occurrence,
 * whatever its period (perf_swevent_event in kernel/events/core.c). */
static uint64_t sample_fields(const struct events *events)
{
	uint64_t fields = PERF_SAMPLE_TIME | PERF_SAMPLE_READ;

	for (unsigned i = 0; i < events->count; i++) {
		const struct event *event = &events->event[i];

		if (event->type == PERF_TYPE_BREAKPOINT || mapping_table_suits(event))
			fields |= PERF_SAMPLE_ADDR;
		if (event->precise)
			fields |= PERF_SAMPLE_DATA_SRC;
		if (event->wakeup_events)
			fields |= PERF_SAMPLE_IP;
	}
	return fields;
}

struct planning {
	struct plan *plan;
	const struct settings *settings;
	const char *executable;
	uint64_t rate_hz;
	uint64_t limit_hz;
	struct plan_probe probe;
};

/* Lowers a frequency to the kernel's limit, because the kernel would refuse a higher one. */
static void note_rate(struct planning *planning, unsigned counter)
{
	struct plan *plan = planning->plan;
	uint64_t asked_hz = plan->attr[counter].sample_freq;

	if (!governor_limit(&plan->attr[counter], planning->limit_hz))
		return;
	plan->freq_asked_hz = asked_hz;
	plan->freq_limit_hz = planning->limit_hz;
}

static void make_attrs(struct planning *planning)
{
	struct plan *plan = planning->plan;

	plan->format.sample_type =
		sample_fields(&plan->events) | (plan->kernel ? PERF_SAMPLE_CALLCHAIN : 0);
	plan->ring_pages = plan->kernel || plan->format.sample_type & PERF_SAMPLE_IP
				   ? PAGES_SHARED
				   : PLAN_PAGES_USER_ONLY;
	plan->format.trailer = any_off_cpu(&plan->events);
	plan->faults = false;
	for (unsigned i = 0; i < plan->events.count; i++) {
		memset(&plan->attr[i], 0, sizeof(plan->attr[i]));
		events_attr(&plan->events.event[i], planning->settings->period, planning->rate_hz,
			    plan->kernel, &plan->attr[i]);
		note_rate(planning, i);
		complete_attr(plan, i);
		if (plan->faults || plan->events.event[i].leader != i ||
		    !mapping_table_suits(&plan->events.event[i]))
			continue;
		plan->faults = true; /* the ring of the first such counter is read first */
		mapping_table_prepare(&plan->attr[i]);
		if (plan->ring_pages < PAGES_WITH_MAPPINGS)
			plan->ring_pages = PAGES_WITH_MAPPINGS;
	}
}

static int try_counter(struct planning *planning, unsigned counter)
{
	struct plan *plan = planning->plan;
	struct event *event = &plan->events.event[counter];
	int err;

	if (plan->attr[counter].exclude_kernel &&
	    (event->kernel_only || known_in_kernel(event->type, event->config)))
		return -ENODATA; /* it would open but stay at 0 for ever */
	err = plan_probe_open(&planning->probe, plan, counter);
	while (event->precise_most && event->precise &&
	       (err == -EOPNOTSUPP || err == -EINVAL || err == -ENOENT)) {
		event->precise--;
		make_attrs(planning);
		err = plan_probe_open(&planning->probe, plan, counter);
	}
	return err;
}

/* True if a library that is loaded later may define the symbol that the counter watches.  The
 * counter must be alone in its group and have neither a refresh nor wakeup_events, and libc must
 * report new libraries and have _dl_find_object.  The trial of such a counter uses the offset from
 * the symbol as the address: it needs the same permissions and debug registers. */
static bool may_come_later(const struct plan *plan, unsigned counter)
{
	const struct event *event = &plan->events.event[counter];

	if (event->type != PERF_TYPE_BREAKPOINT || !event->symbol[0] || event->refresh ||
	    event->wakeup_events || !loader_list_is_known() || !loader_start())
		return false;
	for (unsigned i = 0; i < plan->events.count; i++)
		if ((plan->events.event[i].leader == counter) != (i == counter))
			return false;
	return true;
}

/* Finds the richest form in which a counter opens, and narrows the plan for all counters. */
static int probe_downwards(struct planning *planning, unsigned counter)
{
	struct plan *plan = planning->plan;
	struct event *event = &plan->events.event[counter];
	int err = events_refused_here(event);

	plan->pending[counter] = false;
	if (err)
		return err;
	if (event->precise_most)
		event->precise = 3;
	err = symbol_target_find(event, planning->executable);
	plan->pending[counter] = err == -ESPIPE && may_come_later(plan, counter);
	if (err && !plan->pending[counter])
		return err;
	make_attrs(planning);
	err = try_counter(planning, counter);
	if (err == -EINVAL && plan->format.read_format & PERF_FORMAT_LOST) { /* before Linux 6.0 */
		plan->format.read_format &= ~(uint64_t)PERF_FORMAT_LOST;
		make_attrs(planning);
		err = try_counter(planning, counter);
		if (err) {
			plan->format.read_format |= PERF_FORMAT_LOST;
			make_attrs(planning);
		}
	}
	if ((err == -EACCES || err == -EPERM) && plan->kernel) {
		plan->kernel = false;
		make_attrs(planning);
		err = try_counter(planning, counter);
	}
	if (err == -EINVAL && event->leader != counter && plan->events.event[event->leader].weak) {
		event->leader = counter; /* :W, a weak group, which may be split */
		make_attrs(planning);
		err = try_counter(planning, counter);
	}
	return plan_probe_explain(&planning->probe, plan, counter, err);
}

/* Puts task-clock in the place of the first event.  The others stay as they are, alone. */
static void take_task_clock(struct plan *plan)
{
	static struct events clock; /* too large for a small stack; only one thread makes a plan */
	struct complaint unused;
	unsigned kept = 1;

	events_parse(&clock, "task-clock", &unused);
	for (unsigned i = 1; i < plan->events.count; i++) {
		if (!strcmp(plan->events.event[i].name, clock.event[0].name))
			continue;
		plan->events.event[kept] = plan->events.event[i];
		plan->events.event[kept].leader = kept;
		kept++;
	}
	plan->events.event[0] = clock.event[0];
	plan->events.count = kept;
	plan->events.defaulted = true;
}

static struct planning begin(struct plan *plan, const struct settings *settings)
{
	struct planning planning = {
		.plan = plan,
		.settings = settings,
		.rate_hz = settings->frequency_hz,
		.limit_hz = governor_limit_hz(),
	};

	if (planning.rate_hz == UINT64_MAX) /* -F max */
		planning.rate_hz = planning.limit_hz;
	return planning;
}

static uint64_t timer_period_ns(const struct settings *settings, uint64_t rate_hz)
{
	if (rate_hz)
		return NS_PER_S / rate_hz;
	return settings->events.event[0].unit == EVENTS_UNIT_NS ? settings->period
								: NS_PER_S / SETTINGS_FREQUENCY;
}

static void note_refusal(struct plan *plan, unsigned counter, int err)
{
	if (plan->refused)
		return;
	plan->refused = err;
	plan->refused_event = counter;
	memcpy(plan->asked, plan->events.event[counter].name, sizeof(plan->asked));
}

/* The signal of the sigio engine wakes sleeping system calls: kernel-side overflows would cause
 * EINTR.  So that engine counts the kernel side only if the user asks for it. */
static bool wants_kernel(const struct settings *settings, enum spool_engine engine)
{
	return settings->kernel == SETTINGS_KERNEL_YES ||
	       (settings->kernel == SETTINGS_KERNEL_AUTO && engine == SPOOL_ENGINE_SIGTRAP);
}

/* A traced thread is switched out for every signal, ptrace(2): a signal for every switch would be
 * followed by the next for ever. */
static bool is_endless(const struct event *event)
{
	return event->off_cpu && proc_is_traced();
}

static void plan_counter(struct planning *planning, unsigned counter)
{
	struct plan *plan = planning->plan;
	int err = is_endless(&plan->events.event[counter]) ? -EDEADLK
							   : probe_downwards(planning, counter);

	if (err && plan->events.defaulted &&
	    plan->events.event[counter].type == PERF_TYPE_HARDWARE) {
		take_task_clock(plan);
		err = probe_downwards(planning, counter);
	}
	plan->available[counter] = !err;
	if (err)
		note_refusal(plan, counter, err);
}

/* A group that never gets onto its PMU would leave its counters at 0. */
static void drop_idle_groups(struct plan *plan)
{
	for (unsigned leader = 0; leader < plan->events.count; leader++) {
		int err = 0;

		if (plan_takes_samples(plan, leader))
			err = plan_probe_run(plan, leader);
		if (!err)
			continue;
		note_refusal(plan, leader, err);
		for (unsigned i = 0; i < plan->events.count; i++)
			if (plan->events.event[i].leader == leader)
				plan->available[i] = false;
	}
}

int plan_counters(struct plan *plan, const struct settings *settings, const char *executable,
		  enum spool_engine engine)
{
	struct planning planning = begin(plan, settings);
	bool any = false;

	planning.executable = executable;
	memset(plan, 0, sizeof(*plan));
	plan->engine = engine;
	plan->events = settings->events;
	plan->kernel = wants_kernel(settings, engine);
	plan->timer_period_ns = timer_period_ns(settings, planning.rate_hz);
	plan->format.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
				   PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	plan_probe_begin(&planning.probe);
	for (unsigned i = 0; i < plan->events.count; i++)
		plan_counter(&planning, i);
	plan_probe_end(&planning.probe);
	make_attrs(&planning);
	drop_idle_groups(plan);
	for (unsigned i = 0; i < plan->events.count; i++)
		any |= plan_takes_samples(plan, i);
	plan_period_note(plan);
	return any ? 0 : plan->refused;
}

void plan_refuse(struct plan *plan, const struct settings *settings, unsigned event, int err)
{
	memset(plan, 0, sizeof(*plan));
	plan->events = settings->events;
	note_refusal(plan, event, err);
}

void plan_timer(struct plan *plan, const struct settings *settings)
{
	struct planning planning = begin(plan, settings);

	plan->engine = SPOOL_ENGINE_TIMER;
	plan->events = settings->events;
	plan->kernel = true; /* the thread's CPU time includes both sides */
	take_task_clock(plan);
	plan->timer_period_ns = timer_period_ns(settings, planning.rate_hz);
	make_attrs(&planning);
	plan->faults = false;
	memset(plan->available, 0, sizeof(plan->available));
	memset(plan->pending, 0, sizeof(plan->pending));
	plan->freq_asked_hz = 0;
	plan->available[0] = true;
	plan->busy_period_ns = plan->timer_period_ns;
}

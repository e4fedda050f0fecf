/*
 * Makes the plan of a process: the engine, and the user's events in the richest form that opens
 * here.
 */
#ifndef RUNTIME_SAMPLE_PLAN_PLAN_MAKE_H
#define RUNTIME_SAMPLE_PLAN_PLAN_MAKE_H

#include <stddef.h>

#include "config/events/events.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/spool/format.h"

struct plan;
struct settings;

/* Plans the counters for an engine (sigtrap or sigio).  It opens them on the calling thread and
 * closes them again.  This decides about the kernel side, lost counts, and task-clock in place
 * of the default event cycles.  Symbols without a path are searched in `executable`.  Returns 0,
 * or -errno if no leader opens.  Context: init. */
int plan_counters(struct plan *plan, const struct settings *settings, const char *executable,
		  enum spool_engine engine);

/* Plans no counter, for a reason of perf_errors.h that applies to this event.  Context: init. */
void plan_refuse(struct plan *plan, const struct settings *settings, unsigned event, int err);

/* Plans for timers alone: one counter, task-clock.  Keeps the earlier refusal.  Context: init. */
void plan_timer(struct plan *plan, const struct settings *settings);

/* Resolves the symbol or path of an event and fills in the fields for perf_event_open(2): bp_addr,
 * or config1 and config2 of a probe.  config1 points into *event, which must not move afterwards.
 * Does nothing for other events.  `executable` is the path of the program.
 * Returns 0; -ESPIPE if no loaded object has the symbol; or -errno if the probed file cannot be
 * read.  Context: init (takes the loader's lock). */
int symbol_target_find(struct event *event, const char *executable);

/* Descriptors of the counters that opened.  They stay open until all were tried, so that a
 * shortage (of breakpoint registers, of a PMU's counters) shows. */
struct plan_probe {
	int fd[EVENTS_MAX]; /* -1: not open */
};

void plan_probe_begin(struct plan_probe *probe);
void plan_probe_end(struct plan_probe *probe);

/* Opens one counter of the plan, in its group.  Returns 0 or -errno.  Context: init. */
int plan_probe_open(struct plan_probe *probe, const struct plan *plan, unsigned counter);

/* Returns `err`, the error of opening a counter, or -EDOM if the counter would open with another
 * clock for its time stamps.  Context: init. */
int plan_probe_explain(const struct plan_probe *probe, const struct plan *plan, unsigned counter,
		       int err);

/* Tests whether a leader's group ever gets onto its PMU.  Only hardware counters are tested:
 * software counters always run.  No counter may be open at the time of the call.  Returns 0, or
 * -ETIME if the group was enabled and did not run.  A group that cannot be tried counts as
 * running.  Context: init. */
int plan_probe_run(const struct plan *plan, unsigned leader);

/* An engine is the way in which an overflow reaches the thread that caused it.  Choose it, once per
 * process, by trying from the best rung down, or as FLAMETRAP_NOTIFY says, with its signal, and
 * fill the plan.  `executable` is the path of the program.  Returns 0, or -errno if no rung works
 * (plan->refused and plan->refused_event say why).  Context: init. */
int engine_choose(struct plan *plan, const struct settings *settings, const char *executable,
		  siginfo_sigaction *set_action, int *signal);

/*
 * Explains a refusal in one line: what was refused, which setting refuses it, and what would help.
 */

/* Says that no counter opens.  Context: init. */
void refusal_say(void (*say)(const char *line), const struct plan *plan);

/* Says that the spool cannot be made.  Context: init, fork child. */
void refusal_say_spool(void (*say)(const char *line), int err);

/* Says that the main thread's counters cannot be mapped.  Context: init. */
void refusal_say_thread(void (*say)(const char *line), int err);

/* Says that the process is profiled, but not as asked: by timers, or without one of its
 * counters.  Says nothing if nothing is missing.  Context: init. */
void refusal_say_less(void (*say)(const char *line), const struct plan *plan);

/* Writes for the spool's header what is missing although the process is profiled.  The note is
 * empty if nothing is missing. */
void refusal_note(const struct plan *plan, char *note, size_t size);

#endif

/*
 * A stop takes two context switches and the tracer's turn: tens of microseconds, where a signal
 * takes one or two.  Other signals are late as well: those of samples in the kernel, and all where
 * the host takes the processor away.  So looks are as rare as they are dear.
 */
#include "runtime/sample/tracer.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/sample/perf/plan_period.h"
#include "runtime/sample/session.h"
#include "runtime/sample/session_spool.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/thread.h"
#include "runtime/sample/sys/poison.h"

#define AT_ONCE_NS    10000    /* no tracer is so fast */
#define LOOKS_SHARE   1024     /* looks take this part of the time ... */
#define PAUSE_MOST_NS 50000000 /* ... but one that was preempted seems dear */

static _Atomic uint32_t met; /* the last look of any thread found a tracer */

/* True if SIGTRAP was not asked for, and a clock can rest. */
static bool matters(void)
{
	bool clock = false;

	for (unsigned i = 0; i < session.plan.events.count; i++)
		clock |= plan_period_is_clock(&session.plan, i);
	return clock && session.plan.engine == SPOOL_ENGINE_SIGTRAP &&
	       session.settings->notify == SETTINGS_NOTIFY_AUTO;
}

static void look(struct thread *thread)
{
	uint64_t start_ns = machine_time_now_ns(), end_ns, pause_ns;

	thread->traced = proc_is_traced();
	end_ns = machine_time_now_ns();
	pause_ns = (end_ns - start_ns) * LOOKS_SHARE;
	thread->tracer_look_ns = end_ns + (pause_ns < PAUSE_MOST_NS ? pause_ns : PAUSE_MOST_NS);
	atomic_store_explicit(&met, thread->traced, memory_order_relaxed);
	if (thread->traced)
		session_spool_note(
			"threads were sampled only once a second while a tracer "
			"(strace, gdb) was attached; --notify timer samples them as ever");
}

void tracer_start(struct thread *thread)
{
	thread->traced = false;
	thread->tracer_look_ns = 0;
	if (atomic_load_explicit(&met, memory_order_relaxed) && matters())
		look(thread);
}

void tracer_notice(struct thread *thread)
{
	uint64_t arrival_ns = thread->governor.arrival_ns;
	bool at_once = arrival_ns && arrival_ns < AT_ONCE_NS;

	if ((at_once && !thread->traced) || thread->governor.began_ns < thread->tracer_look_ns ||
	    !matters())
		return;
	look(thread);
}

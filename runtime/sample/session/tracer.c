/*
 * A stop takes two context switches and the tracer's turn: tens of microseconds, where a signal
 * takes one or two.  Other signals are late as well, where the host takes the processor away, and
 * of samples in the kernel it is not known.
 *
 * A look opens a file, so for a moment a descriptor is in use that another thread of the program
 * may have expected to get.  So a thread looks only after several late signals in a row, or after
 * very many of which it is not known, and as rarely as looks are dear.
 */
#include "runtime/sample/session/thread.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/sample/perf/plan.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/poison.h"

#define AT_ONCE_NS    10000    /* a tracer that runs on another processor may be as fast at times */
#define LOOKS_SHARE   1024     /* looks take this part of the time ... */
#define PAUSE_MOST_NS 50000000 /* ... but one that was preempted seems dear */
#define DOUBTS	      1024     /* for a look: eight late signals, or a second of unknown ones */
#define DOUBTS_LATE   (DOUBTS / 8)

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

	thread->tracer.doubts = 0;
	thread->tracer.is_there = proc_is_traced();
	end_ns = machine_time_now_ns();
	pause_ns = (end_ns - start_ns) * LOOKS_SHARE;
	thread->tracer.look_ns = end_ns + (pause_ns < PAUSE_MOST_NS ? pause_ns : PAUSE_MOST_NS);
	atomic_store_explicit(&met, thread->tracer.is_there, memory_order_relaxed);
	if (thread->tracer.is_there)
		session_spool_note(
			"threads were sampled only once a second while a tracer "
			"(strace, gdb) was attached; --notify timer samples them as ever");
}

void tracer_start(struct thread *thread)
{
	thread->tracer.is_there = false;
	thread->tracer.look_ns = 0;
	thread->tracer.doubts = 0;
	if (atomic_load_explicit(&met, memory_order_relaxed) && matters())
		look(thread);
}

void tracer_suspect(struct thread *thread)
{
	thread->tracer.doubts = DOUBTS;
}

/* True if signals of the thread were late; also if it has a tracer, which may have left, or
 * another thread has one, since a tracer mostly attaches to all. */
static bool doubts(const struct thread *thread)
{
	return thread->tracer.doubts >= DOUBTS || thread->tracer.is_there ||
	       atomic_load_explicit(&met, memory_order_relaxed);
}

void tracer_notice(struct thread *thread)
{
	uint64_t arrival_ns = thread->rate.governor.arrival_ns;

	if (arrival_ns && arrival_ns < AT_ONCE_NS)
		thread->tracer.doubts /= 2;
	else
		thread->tracer.doubts += arrival_ns ? DOUBTS_LATE : 1;
	if (!doubts(thread) || thread->rate.governor.began_ns < thread->tracer.look_ns ||
	    !matters())
		return;
	look(thread);
}

/*
 * Start order: the plan of events that can be opened here, the unwinder, the spool, the modules,
 * the handler, the calling thread.  No counter is enabled before the handler is installed.  A step
 * that fails undoes the earlier steps, and the process continues unprofiled.
 */

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "config/text/text.h"
#include "runtime/sample/account/account.h"
#include "runtime/sample/rate/counters.h"
#include "runtime/sample/overflow/handler.h"
#include "runtime/sample/interp/interp.h"
#include "runtime/sample/session/pending_watch.h"
#include "runtime/sample/perf/clock.h"
#include "runtime/sample/plan/plan_make.h"
#include "runtime/sample/perf/ring.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/store/script_table.h"
#include "runtime/sample/log/log_budget.h"
#include "runtime/sample/labels/label_table.h"
#include "runtime/sample/objects/module.h"
#include "runtime/sample/tree/module_copy.h"
#include "runtime/sample/objects/mapping_table.h"
#include "runtime/sample/log/log.h"
#include "runtime/sample/tree/thread_slot.h"
#include "runtime/sample/perf/switches.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/life/thread_life.h"
#include "runtime/sample/labels/labels.h"
#include "runtime/sample/unwind/unwind.h"

static uint64_t cpu_ns(void)
{
	struct rusage usage;

	if (sys_getrusage(RUSAGE_SELF, &usage))
		return 0;
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static void unlock(void)
{
	atomic_store_explicit(&session.lock, 0, memory_order_relaxed);
}

static void start_slots(void)
{
	thread_slot_start(&session.spool, session.settings->threads == SETTINGS_THREADS_ID);
}

static void start_scripts(void)
{
	script_table_start(&session.spool);
}

static void start_log_budget(void)
{
	log_budget_start(&session.spool);
}

static void start_marks(void)
{
	process_marks_start(&session.spool);
}

/* Labels are of use on the timeline alone. */
static void start_labels(void)
{
	label_table_start(session.spool.header->timeline_bytes ? &session.spool : NULL);
}

static void start_modules(void)
{
	session.modules = module_start(&session.spool, session.executable);
}

static void note_modules(void)
{
	module_note_all(session.modules);
}

static void start_interpreters(void)
{
	if (session.settings->interp != SETTINGS_INTERP_NO)
		interp_start(session.modules, session_spool_note);
}

static void start_traces(void)
{
	if (label_table_is_used())
		trace_context_start();
}

static void start_mappings(void)
{
	if (session.plan.faults)
		mapping_table_start(session.modules);
}

static void abandon_spool(void)
{
	spool_alloc_abandon(&session.spool);
}

enum moment { START, RESTART, ABANDON, MOMENTS };

/* The parts of a session and what each does at a moment, in order; NULL: nothing.  A new part adds
 * a row.  The child of a fork abandons what its parent owns, gets its own spool, and restarts.  A
 * child that is not followed only abandons.
 *
 * A child restarts interpreters before modules, because they compare the modules of the parent. */
static void (*const parts[][MOMENTS])(void) = {
	{ NULL, NULL, unlock },
	{ session_spool_notes_start, session_spool_notes_start, NULL },
	{ start_slots, thread_slot_reset, NULL },
	{ start_scripts, start_scripts, NULL },
	{ start_log_budget, start_log_budget, NULL },
	{ start_marks, start_marks, process_marks_stop },
	{ start_labels, start_labels, NULL },
	{ NULL, NULL, abandon_spool },
	{ NULL, NULL, thread_forget_others },
	{ NULL, NULL, clock_forget_all },
	{ NULL, NULL, start_budget_forget },
	{ NULL, NULL, event_mapping_forget_all },
	{ start_modules, NULL, NULL },
	{ note_modules, NULL, NULL },
	{ start_interpreters, interp_restart, NULL },
	{ start_traces, trace_context_restart, NULL },
	{ NULL, start_modules, NULL },
	{ pending_watch_start, NULL, NULL },
	{ start_mappings, start_mappings, NULL },
};

static void each_part(enum moment moment)
{
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i][moment])
			parts[i][moment]();
}

static int attach_main(void)
{
	struct thread *thread = thread_take();

	if (!thread)
		return -ENOMEM;
	thread->is_main = true;
	return thread_attach(thread);
}

static int make_plan(struct session *of)
{
	const struct settings *settings = of->settings;
	const struct session_libc *libc = of->libc;
	int err = engine_choose(&of->plan, settings, of->executable, libc->sigaction, &of->signal);

	if (err) {
		refusal_say(libc->say, &of->plan);
		return err;
	}
	unwind_start();
	if (mapping_table_shows_ours(&of->plan.events))
		unwind_populate();
	plan_period_try(&of->plan, libc->sigaction);
	if (settings->coarse)
		switches_plan(&of->plan);
	if (!settings->collected) /* the command says it once for all processes */
		refusal_say_less(libc->say, &of->plan);
	return 0;
}

static void learn_process(struct session *of)
{
	of->pid = sys_getpid();
	of->start_ticks = proc_start_ticks();
	proc_arguments(of->arguments, sizeof(of->arguments));
	machine_time_learn();
	of->start_cpu_ns = cpu_ns();
	of->start_thread_ns = machine_time_ns(CLOCK_THREAD_CPUTIME_ID);
	session_window_set(of->settings);
}

static int begin(struct session *of)
{
	int err;

	of->libc->claim(of->signal);
	err = handler_install();
	if (err)
		return err;
	atomic_store_explicit(&of->active, 1, memory_order_release);
	err = attach_main();
	if (!err)
		return 0;
	atomic_store_explicit(&of->active, 0, memory_order_release);
	if (err == -ENOSPC)
		refusal_say_spool(of->libc->say, err); /* no thread slot: the file system is full */
	else
		refusal_say_thread(of->libc->say, err);
	return err;
}

int lifecycle_start(const struct settings *settings, const struct session_libc *libc,
		    const char *output)
{
	int err;

	session.settings = settings;
	session.libc = libc;
	learn_process(&session);
	err = make_plan(&session);
	if (!err)
		err = session_spool_open(output);
	if (err)
		return err;
	each_part(START);
	err = begin(&session);
	if (err)
		spool_alloc_unlink(&session.spool);
	return err;
}

int lifecycle_restart(const char *output)
{
	int err;

	session.pid = sys_getpid();
	session_fork_child();
	session.start_cpu_ns = session.start_thread_ns = 0;
	each_part(ABANDON);
	session.spool.lean = true;
	err = session_spool_open(output);
	if (err) {
		atomic_store_explicit(&session.active, 0, memory_order_release);
		thread_abandon();
		return err;
	}
	each_part(RESTART);
	return thread_reattach();
}

void lifecycle_abandon(void)
{
	atomic_store_explicit(&session.active, 0, memory_order_release);
	each_part(ABANDON);
	thread_abandon();
}

/* Returns the user-code address at which a thread waits: the last word of proc(5) syscall.  0: the
 * thread runs, or access is denied. */
static uint64_t waiting_pc(pid_t tid)
{
	char path[64], line[256];
	struct text text = text_into(path, sizeof(path));
	const char *word;
	uint64_t pc;

	text_add(&text, "/proc/self/task/");
	text_number(&text, (uint64_t)tid);
	text_add(&text, "/syscall");
	if (proc_line(path, line, sizeof(line)) <= 0)
		return 0;
	word = strrchr(line, ' ');
	if (!word || strncmp(word, " 0x", 3) != 0)
		return 0;
	pc = text_to_number(word + 3, 16, &word);
	return *word ? 0 : pc;
}

static void drain_thread(struct thread *thread)
{
	struct stack_taken taken = { .end = SPOOL_COUNT_LEAF_ONLY };
	uint64_t pc = waiting_pc(thread->tid);

	taken.node = tree_path(&thread->tree, SPOOL_PC_BLOCKED, &pc, pc != 0, &taken.overflowed);
	for (unsigned i = 0; i < thread->group.leaders; i++) {
		struct group_leader *leader = &thread->group.leader[i];

		if (!leader->ring.page)
			continue;
		account_drain(thread, leader, &taken);
		account_back(thread, leader, machine_time_now_ns());
	}
}

/* Reads the records of every thread that is in the kernel now, and weighs the time it has been
 * switched out.  Its user stack cannot be walked from another thread.  It is recorded as [still
 * blocked] with the one frame that /proc/self/task/TID/syscall shows. */
static void drain_blocked(void)
{
	for (struct thread *thread = thread_first(); thread; thread = thread_next(thread)) {
		if (thread == thread_self || !thread->slot || !thread_hold(thread))
			continue;
		if (thread->slot && group_pending(&thread->group))
			drain_thread(thread);
		if (thread->slot) {
			counters_drain_timer(thread);
			counters_count_other(thread);
		}
		thread_release(thread);
	}
}

void lifecycle_stop(enum spool_state state)
{
	struct spool_header *header = session.spool.header;
	uint64_t used_ns;

	if (state == SPOOL_EXECED)
		process_marks_add(SPOOL_MARK_EXEC, 0);
	atomic_store_explicit(&session.stopping, 1, memory_order_relaxed);
	if (thread_self && thread_hold(thread_self)) {
		account_drain_rest(thread_self);
		counters_drain_timer(thread_self);
		thread_release(thread_self);
	}
	if (thread_self) {
		group_store_totals(&thread_self->group, &session.plan, thread_self->slot->total);
		counters_count_other(thread_self);
	}
	module_copy_note(session.modules);
	thread_gone_look_at_all();
	if (state == SPOOL_FINISHED) {
		drain_blocked();
		thread_slot_refresh_names();
	}
	used_ns = cpu_ns() - session.start_cpu_ns;
	counters_count_process(used_ns);
	atomic_store_explicit(&header->cpu_ns, used_ns, memory_order_relaxed);
	atomic_store_explicit(&header->end_ns, machine_time_now_ns(), memory_order_relaxed);
	atomic_store_explicit(&header->state, state, memory_order_release);
}

void lifecycle_resume(int err)
{
	struct spool_header *header = session.spool.header;

	process_marks_add(SPOOL_MARK_EXEC_FAILED, (uint64_t)err);
	atomic_store_explicit(&header->state, SPOOL_RUNNING, memory_order_relaxed);
	atomic_store_explicit(&header->end_ns, 0, memory_order_relaxed);
	atomic_store_explicit(&session.stopping, 0, memory_order_relaxed);
}

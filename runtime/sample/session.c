/*
 * Start order: what opens here (plan), the unwinder, the spool, the modules, the handler, the
 * calling thread.  Until the handler stands no counter is enabled.  Whatever fails undoes what
 * was done before it, and the process goes on unprofiled.
 */
#include "runtime/sample/session.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <time.h>

#include <linux/hw_breakpoint.h>

#include "runtime/sample/count.h"
#include "runtime/sample/counters.h"
#include "runtime/sample/engine.h"
#include "runtime/sample/handler.h"
#include "runtime/sample/late.h"
#include "runtime/sample/lock.h"
#include "runtime/sample/module.h"
#include "runtime/sample/module_copy.h"
#include "runtime/sample/plan_period.h"
#include "runtime/sample/proc.h"
#include "runtime/sample/refusal.h"
#include "runtime/sample/region.h"
#include "runtime/sample/settle.h"
#include "runtime/sample/siginfo.h"
#include "runtime/sample/slot.h"
#include "runtime/sample/switches.h"
#include "runtime/sample/sys.h"
#include "runtime/sample/text.h"
#include "runtime/sample/thread.h"
#include "runtime/sample/unwind.h"
#include "runtime/sample/unwind_lock.h"

#define TMPFS_MAGIC_NUMBER 0x01021994 /* statfs(2) */
#define ADDRESS_SHARE	   16 /* of a limit on address space, at most one part is the spool */
#define SPOOL_BYTES_LEAST  (1UL << 20)
#define MEMORY_DIRECTORY   "/dev/shm"

_Alignas(512) struct session session;  /* its head in one page */
static char arguments[SPOOL_TEXT_MAX]; /* also of forked children.  W: start */

static uint64_t cpu_ns(void)
{
	struct rusage usage;

	if (sys_getrusage(RUSAGE_SELF, &usage))
		return 0;
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

void session_lock(void)
{
	lock_take(&session.lock);
}

bool session_lock_patiently(void)
{
	if (!unwind_lock_is_forking() && lock_take_patiently(&session.lock))
		return true;
	session_count(SPOOL_COUNT_ATTACH_FAILED, 1);
	return false;
}

void session_unlock(void)
{
	lock_give(&session.lock);
}

void session_count(enum spool_count count, uint64_t more)
{
	atomic_fetch_add_explicit(&session.store.header->count[count], more, memory_order_relaxed);
}

bool session_is_here(void)
{
	return atomic_load_explicit(&session.active, memory_order_relaxed) &&
	       session.pid == sys_getpid();
}

static void directory_of(const char *path, char *directory)
{
	const char *slash = strrchr(path, '/');
	struct text text = text_into(directory, SPOOL_TEXT_MAX);

	text_add_bytes(&text, path, slash ? (size_t)(slash - path) : 0);
	if (!text.used)
		text_add(&text, slash ? "/" : ".");
}

/* Under a limit on address space (ulimit -v) the program's share of it stays nearly whole. */
static uint64_t bound_bytes(const struct settings *settings)
{
	uint64_t bytes = settings->memory_bytes;
	struct rlimit limit;

	if (sys_getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return bytes;
	if (bytes > limit.rlim_cur / ADDRESS_SHARE)
		bytes = limit.rlim_cur / ADDRESS_SHARE / SPOOL_CHUNK_BYTES * SPOOL_CHUNK_BYTES;
	return bytes < SPOOL_BYTES_LEAST ? SPOOL_BYTES_LEAST : bytes;
}

/* A memory file system when one is there, else beside the output; or where the user says. */
static int make_store(const struct settings *settings, const char *output)
{
	uint64_t bytes = bound_bytes(settings);
	char beside[SPOOL_TEXT_MAX];
	struct statfs file_system;
	int err = -ENOENT;

	if (settings->spool[0])
		return store_create(&session.store, settings->spool, bytes, (unsigned)session.pid,
				    session.start_ticks);
	if (!sys_statfs(MEMORY_DIRECTORY, &file_system) && file_system.f_type == TMPFS_MAGIC_NUMBER)
		err = store_create(&session.store, MEMORY_DIRECTORY, bytes, (unsigned)session.pid,
				   session.start_ticks);
	if (err) {
		directory_of(output, beside);
		err = store_create(&session.store, beside, bytes, (unsigned)session.pid,
				   session.start_ticks);
	}
	return err;
}

/* Data that is watched is met before the trap on some processors. */
static bool is_met_after(const struct event *event)
{
	return event->type == PERF_TYPE_BREAKPOINT && !(event->bp_type & HW_BREAKPOINT_X) &&
	       siginfo_is_after_access();
}

static void fill_counters(struct spool_header *header)
{
	const struct plan *plan = &session.plan;

	header->counter_count = plan->events.count;
	for (unsigned i = 0; i < plan->events.count; i++) {
		const struct event *event = &plan->events.event[i];
		struct spool_counter *counter = &header->counter[i];
		bool leads = event->leader == i;

		text_copy(counter->name, sizeof(counter->name), event->name);
		text_copy(counter->scale, sizeof(counter->scale), event->scale);
		text_copy(counter->measure, sizeof(counter->measure), event->measure);
		counter->unit = event->unit == EVENTS_UNIT_NS ? SPOOL_UNIT_NS : SPOOL_UNIT_COUNT;
		counter->leader = event->leader;
		if (leads && plan->attr[i].freq)
			counter->frequency_hz = plan->attr[i].sample_freq;
		else if (leads)
			counter->period = plan->attr[i].sample_period;
		counter->flags = (plan->attr[i].exclude_kernel ? SPOOL_COUNTER_EXCLUDE_KERNEL : 0) |
				 (plan->attr[i].exclude_user ? SPOOL_COUNTER_EXCLUDE_USER : 0) |
				 (plan->available[i] ? 0 : SPOOL_COUNTER_UNAVAILABLE) |
				 (leads ? SPOOL_COUNTER_SAMPLES : 0) |
				 (event->off_cpu ? SPOOL_COUNTER_OFF_CPU : 0) |
				 (is_met_after(event) ? SPOOL_COUNTER_AFTER : 0);
		atomic_store_explicit(&counter->missing, late_is_missing(i), memory_order_relaxed);
	}
	header->node_bytes = (uint32_t)(sizeof(struct spool_node) +
					header->counter_count * sizeof(struct spool_weight));
}

static void fill_header(const char *output)
{
	struct spool_header *header = session.store.header;
	const struct settings *settings = session.settings;
	struct timespec real;

	header->version = SPOOL_VERSION;
	header->header_bytes = sizeof(*header);
	header->thread_bytes = sizeof(struct spool_thread);
	header->module_bytes = sizeof(struct spool_module);
	fill_counters(header);
	atomic_store_explicit(&header->state, SPOOL_RUNNING, memory_order_relaxed);
	header->engine = session.plan.engine;
	header->pid = (uint32_t)session.pid;
	header->parent_pid = (uint32_t)sys_getppid();
	header->uid = sys_geteuid();
	atomic_store_explicit(&header->window_from_ns, session.window.from_ns,
			      memory_order_relaxed);
	atomic_store_explicit(&header->window_to_ns, session.window.to_ns, memory_order_relaxed);
	header->stop_after_ns = settings->stop_after_ns;
	header->weight = settings->weight;
	header->threads = settings->threads;
	header->formats = settings->formats;
	header->inlined = settings->inlined;
	header->lines = settings->lines;
	header->wall = settings->wall;
	header->takes_ended = session.takes_ended;
	header->start_ticks = session.start_ticks;
	sys_clock(CLOCK_REALTIME, &real);
	header->start_realtime_ns = (uint64_t)real.tv_sec * 1000000000 + (uint64_t)real.tv_nsec;
	header->start_ns = session_now_ns();
	proc_comm(header->command);
	proc_host(header->host, sizeof(header->host));
	text_copy(header->executable, sizeof(header->executable), session.executable);
	memcpy(header->arguments, arguments, sizeof(arguments));
	text_copy(header->output, sizeof(header->output), output);
	sys_getcwd(header->directory, sizeof(header->directory));
	refusal_note(&session.plan, header->note, sizeof(header->note));
	atomic_signal_fence(memory_order_seq_cst);
	header->magic = SPOOL_MAGIC; /* last: whoever finds the file before knows it is not ready */
}

static int open_spool(const char *output)
{
	int err = make_store(session.settings, output);

	if (err) {
		refusal_say_spool(session.libc->say, err);
		return err;
	}
	fill_header(output);
	return 0;
}

static int attach_main(void)
{
	struct thread *thread = thread_take();

	if (!thread)
		return -ENOMEM;
	thread->start = NULL;
	return thread_attach(thread);
}

int session_start(const struct settings *settings, const struct session_libc *libc,
		  const char *output)
{
	int err;

	session.settings = settings;
	session.libc = libc;
	session.pid = sys_getpid();
	session.start_ticks = proc_start_ticks();
	proc_arguments(arguments, sizeof(arguments));
	session_clock_learn();
	session.start_cpu_ns = cpu_ns();
	session_window_set(settings);
	err = engine_choose(&session.plan, settings, session.executable, libc->sigaction,
			    &session.signal);
	if (err) {
		refusal_say(libc->say, &session.plan);
		return err;
	}
	unwind_start();
	if (region_shows_ours(&session.plan.events))
		unwind_populate();
	plan_period_try(&session.plan, libc->sigaction);
	switches_plan();
	if (!settings->collected) /* the launcher says it once for all processes */
		refusal_say_less(libc->say, &session.plan);
	err = open_spool(output);
	if (err)
		return err;
	session.modules = module_start(&session.store, session.executable);
	module_note_all(session.modules);
	late_start();
	if (session.plan.faults)
		region_start();
	libc->claim(session.signal);
	err = handler_install();
	if (err)
		goto err_store;
	atomic_store_explicit(&session.active, 1, memory_order_release);
	err = attach_main();
	if (err)
		goto err_active;
	return 0;

err_active:
	atomic_store_explicit(&session.active, 0, memory_order_release);
	if (err == -ENOSPC)
		refusal_say_spool(libc->say, err); /* its slot: the file system is full */
	else
		refusal_say_thread(libc->say, err);
err_store:
	store_unlink(&session.store);
	return err;
}

int session_restart(const char *output)
{
	int err;

	session.pid = sys_getpid();
	if (!session.forking_at_ns)
		session_window_keep();
	session_clock_restart();
	session.start_cpu_ns = 0;
	atomic_store_explicit(&session.lock, 0, memory_order_relaxed);
	store_abandon(&session.store);
	session.store.lean = true;
	thread_forget_others();
	slot_reset();
	err = open_spool(output);
	if (err) {
		atomic_store_explicit(&session.active, 0, memory_order_release);
		thread_self = NULL;
		return err;
	}
	session.modules = module_start(&session.store, session.executable);
	if (session.plan.faults)
		region_start();
	return thread_reattach();
}

void session_abandon(void)
{
	atomic_store_explicit(&session.active, 0, memory_order_release);
	atomic_store_explicit(&session.lock, 0, memory_order_relaxed);
	store_abandon(&session.store);
	thread_forget_others();
	thread_self = NULL;
}

bool session_is_empty(void)
{
	const struct spool_header *header = session.store.header;
	uint64_t offset = atomic_load_explicit(&header->first_thread, memory_order_relaxed);
	const struct spool_chunk *chunk = store_at(&session.store, offset);
	const struct spool_thread *slots = (const void *)((const char *)chunk + SPOOL_CHUNK_HEAD);

	return !offset ||
	       (chunk->count == 1 &&
		!atomic_load_explicit(&slots[0].count[SPOOL_COUNT_SAMPLES], memory_order_relaxed));
}

void session_stop(enum spool_state state)
{
	struct spool_header *header = session.store.header;

	atomic_store_explicit(&session.stopping, 1, memory_order_relaxed);
	if (thread_self && thread_hold(thread_self)) {
		handler_drain_rest(thread_self);
		counters_settle(thread_self);
		thread_release(thread_self);
	}
	if (thread_self)
		count_store(thread_self);
	module_copy_note(session.modules);
	if (state == SPOOL_FINISHED) {
		settle_blocked();
		slot_refresh_names();
	}
	atomic_store_explicit(&header->cpu_ns, cpu_ns() - session.start_cpu_ns,
			      memory_order_relaxed);
	atomic_store_explicit(&header->end_ns, session_now_ns(), memory_order_relaxed);
	atomic_store_explicit(&header->state, state, memory_order_release);
}

void session_resume(void)
{
	struct spool_header *header = session.store.header;

	atomic_store_explicit(&header->state, SPOOL_RUNNING, memory_order_relaxed);
	atomic_store_explicit(&header->end_ns, 0, memory_order_relaxed);
	atomic_store_explicit(&session.stopping, 0, memory_order_relaxed);
}

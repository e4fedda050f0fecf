/*
 * A memory file system keeps the spool off the disk.  The header is complete before its magic is
 * written, because readers check for the magic first.
 */
#include "runtime/sample/session/session.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <time.h>
#include <linux/hw_breakpoint.h>

#include "config/events/known.h"
#include "config/text/text.h"
#include "runtime/sample/session/pending_watch.h"
#include "runtime/sample/plan/plan_make.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/sys/lock.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/spool/spool_name.h"
#include "runtime/spool/spool_window.h"

#define TMPFS_MAGIC_NUMBER 0x01021994 /* statfs(2) */
#define ADDRESS_SHARE	   16 /* the spool's share of an address space limit is 1/16 at most */
#define SPOOL_BYTES_LEAST  (1UL << 20)
#define MEMORY_DIRECTORY   "/dev/shm"
#define FREE_SHARE	   16 /* the timeline's share of what is free where the spool is */
#define TIMELINE_LEAST	   (64UL << 10)

static _Atomic uint32_t noting; /* between threads that add a note */

static void directory_of(const char *path, char *directory)
{
	const char *slash = strrchr(path, '/');
	struct text text = text_into(directory, SPOOL_TEXT_MAX);

	text_add_bytes(&text, path, slash ? (size_t)(slash - path) : 0);
	if (!text.used)
		text_add(&text, slash ? "/" : ".");
}

uint64_t session_spool_share(uint64_t limit_bytes)
{
	uint64_t bytes = limit_bytes / ADDRESS_SHARE / SPOOL_CHUNK_BYTES * SPOOL_CHUNK_BYTES;

	return bytes < SPOOL_BYTES_LEAST ? SPOOL_BYTES_LEAST : bytes;
}

static uint64_t bound_bytes(const struct settings *settings)
{
	uint64_t bytes = settings->memory_bytes;
	struct rlimit limit;

	if (!sys_getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY &&
	    bytes > session_spool_share(limit.rlim_cur))
		return session_spool_share(limit.rlim_cur);
	return bytes;
}

static int make_in(struct session *of, const char *directory)
{
	return spool_alloc_create(&of->spool, directory, bound_bytes(of->settings),
				  (unsigned)of->pid, of->start_ticks);
}

static int make_store(struct session *of, const char *output)
{
	char beside[SPOOL_TEXT_MAX];
	struct statfs file_system;
	int err = -ENOENT;

	if (of->settings->spool[0])
		return make_in(of, of->settings->spool);
	if (!sys_statfs(MEMORY_DIRECTORY, &file_system) && file_system.f_type == TMPFS_MAGIC_NUMBER)
		err = make_in(of, MEMORY_DIRECTORY);
	if (!err)
		return 0;
	directory_of(output, beside);
	return make_in(of, beside);
}

/* True if the trap of a data watchpoint comes after the access, as on some processors. */
static bool is_met_after(const struct event *event)
{
	return event->type == PERF_TYPE_BREAKPOINT && !(event->bp_type & HW_BREAKPOINT_X) &&
	       siginfo_is_after_access();
}

/* Returns a bit of SPOOL_COUNTER_*: how exact the address of a sample is. */
static uint32_t exactness(const struct event *event)
{
	if (known_is_clock(event->type, event->config))
		return SPOOL_COUNTER_CLOCK;
	if (event->type == PERF_TYPE_SOFTWARE || event->type == PERF_TYPE_TRACEPOINT ||
	    event->type == PERF_TYPE_BREAKPOINT || event->path[0] || event->symbol[0])
		return SPOOL_COUNTER_EXACT;
	if (event->precise > 1 || event->precise_most)
		return SPOOL_COUNTER_PRECISE;
	return event->precise ? SPOOL_COUNTER_SHIFTED : SPOOL_COUNTER_SKIDS;
}

static void fill_counters(struct spool_header *header, const struct plan *plan)
{
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
				 (is_met_after(event) ? SPOOL_COUNTER_AFTER : 0) | exactness(event);
		atomic_store_explicit(&counter->missing, pending_watch_is_missing(plan, i),
				      memory_order_relaxed);
	}
	header->node_bytes = (uint32_t)(sizeof(struct spool_node) +
					header->counter_count * sizeof(struct spool_weight));
}

/* Returns what the timeline may take if the user does not say so: a quarter of the spool.  Where
 * that would soon fill a small file system (a container's /dev/shm), which the program may need, it
 * is less. */
static uint64_t timeline_usual(const char *path, uint64_t size_bytes)
{
	struct statfs file_system;
	uint64_t bytes = size_bytes / 4, most;

	if (sys_statfs(path, &file_system) || !file_system.f_blocks)
		return bytes; /* it does not say so */
	most = (uint64_t)file_system.f_bavail * (uint64_t)file_system.f_bsize / FREE_SHARE;
	most = most < TIMELINE_LEAST ? TIMELINE_LEAST : most;
	return bytes < most ? bytes : most;
}

/* Returns what the timeline may take in a spool of this size, so much at most that stacks have
 * room. */
static uint64_t timeline_bytes(const struct settings *settings, const char *path,
			       uint64_t size_bytes)
{
	uint64_t bytes = settings->timeline_bytes;

	if (!settings->timeline)
		return 0;
	if (!bytes)
		bytes = timeline_usual(path, size_bytes);
	return bytes < size_bytes / 4 * 3 ? bytes : size_bytes / 4 * 3;
}

static void fill_header(const struct session *of, const char *output)
{
	struct spool_header *header = of->spool.header;
	const struct settings *settings = of->settings;

	header->version = SPOOL_VERSION;
	header->header_bytes = sizeof(*header);
	header->thread_bytes = sizeof(struct spool_thread);
	header->module_bytes = sizeof(struct spool_module);
	fill_counters(header, &of->plan);
	atomic_store_explicit(&header->state, SPOOL_RUNNING, memory_order_relaxed);
	header->engine = of->plan.engine;
	header->pid = (uint32_t)of->pid;
	header->parent_pid = (uint32_t)sys_getppid();
	header->uid = sys_geteuid();
	spool_window_set(header, of->window.from_ns, of->window.to_ns);
	header->stop_after_ns = settings->stop_after_ns;
	header->weight = settings->weight;
	header->threads = settings->threads;
	header->formats = settings->formats;
	header->inlined = settings->inlined;
	header->lines = settings->lines;
	header->wall = settings->wall;
	header->interp = settings->interp;
	header->run = spool_name_run(of->spool.path);
	header->timeline_bytes = timeline_bytes(settings, of->spool.path, header->size_bytes);
	header->takes_ended = of->takes_ended;
	header->start_ticks = of->start_ticks;
	header->start_realtime_ns = machine_time_ns(CLOCK_REALTIME);
	header->start_ns = machine_time_now_ns();
	header->before_ns = of->start_cpu_ns;
	proc_comm(header->command);
	proc_host(header->host, sizeof(header->host));
	text_copy(header->executable, sizeof(header->executable), of->executable);
	memcpy(header->arguments, of->arguments, sizeof(header->arguments));
	text_copy(header->output, sizeof(header->output), output);
	sys_getcwd(header->directory, sizeof(header->directory));
	refusal_note(&of->plan, header->note, sizeof(header->note));
	atomic_signal_fence(memory_order_seq_cst);
	header->magic = SPOOL_MAGIC; /* last: a file without it is not ready */
}

int session_spool_open(const char *output)
{
	int err = make_store(&session, output);

	if (err) {
		refusal_say_spool(session.libc->say, err);
		return err;
	}
	fill_header(&session, output);
	return 0;
}

void session_spool_notes_start(void)
{
	atomic_store_explicit(&noting, LOCK_FREE, memory_order_relaxed); /* as a fork left it */
}

static void add_note(struct spool_header *header, const char *note)
{
	char *noted = header->note;
	struct text text = { noted, sizeof(header->note), strlen(noted), false };

	if (strstr(noted, note))
		return;
	if (text.used)
		text_add(&text, "; ");
	text_add(&text, note);
}

void session_spool_note(const char *note)
{
	uint64_t mask = sys_signals_block();
	bool alone = lock_take_patiently(&noting);

	add_note(session.spool.header, note);
	if (alone)
		lock_give(&noting);
	sys_signals_restore(mask);
}

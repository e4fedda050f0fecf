/*
 * A thread is examined in this order: the clock, whether it waits, its CPU time and where it waits,
 * then its slot again.  A thread that ran meanwhile has changed its slot, and is examined again.
 * All texts of proc(5) are parsed as hostile input: the pid may belong to another process by then.
 */
#include "runtime/profile/time/blocked.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/profile/base/user_file.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/now.h"
#include "runtime/profile/spool/spool_check.h"
#include "runtime/profile/spool/spool_files.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/namer.h"
#include "runtime/spool/spool_window.h"

#define KERNEL_FRAMES_MAX 64
#define TEXT_BYTES	  8192
#define TRIES		  3
#define NOW		  (SPOOL_UNTIL_FOREVER - 1) /* a generation after every unloaded module */

/* One waiting thread. */
struct wait {
	uint64_t since_ns; /* CLOCK_MONOTONIC */
	uint64_t now_ns;
	uint64_t pc;			    /* in user code; 0: not permitted to read */
	uint64_t kernel[KERNEL_FRAMES_MAX]; /* leaf first */
	unsigned depth;
};

/* Read a file of /proc/PID/task/TID as text; empty if it cannot be read. */
static void read_task(unsigned pid, unsigned tid, const char *file, char *text)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/%s", pid, tid, file);
	user_file_text(path, text, TEXT_BYTES);
}

/* A runnable thread that has no CPU does not wait. */
static bool is_waiting(unsigned pid, unsigned tid, char *text)
{
	const char *state;

	read_task(pid, tid, "stat", text);
	state = user_file_state(text);
	return state && strchr("SDTtI", *state);
}

/* Reads the first number of schedstat: nanoseconds on the CPU, which is up to date for a waiting
 * thread. */
static bool read_cpu_ns(unsigned pid, unsigned tid, char *text, uint64_t *cpu_ns)
{
	char *end;

	read_task(pid, tid, "schedstat", text);
	errno = 0;
	*cpu_ns = strtoull(text, &end, 10);
	return !errno && end != text && *end == ' ';
}

/* Reads the last word of proc(5) syscall, which needs the permissions of ptrace(2). */
static uint64_t read_pc(unsigned pid, unsigned tid, char *text)
{
	const char *word;

	read_task(pid, tid, "syscall", text);
	word = strrchr(text, ' ');
	return word && !strncmp(word, " 0x", 3) ? strtoull(word + 1, NULL, 16) : 0;
}

/* Reads "[<0>] NAME+0xOFFSET/0xSIZE" lines, leaf first, for root; for others only a name
 * (wchan). */
static void read_kernel(unsigned pid, unsigned tid, struct namer *namer, char *text,
			struct wait *wait)
{
	char *next, *line = text;

	read_task(pid, tid, "stack", text);
	if (!text[0])
		read_task(pid, tid, "wchan", text);
	for (; *line && wait->depth < KERNEL_FRAMES_MAX; line = next) {
		char *name = !strncmp(line, "[<", 2) ? strchr(line, ' ') : NULL;
		char *offset;
		uint64_t address;

		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		name = name ? name + 1 : line;
		offset = strchr(name, '+');
		if (offset)
			*offset = '\0';
		address = namer_kernel_address(namer, name);
		if (address)
			wait->kernel[wait->depth++] =
				address + (offset ? strtoull(offset + 1, NULL, 16) : 0);
	}
}

static bool slot_stayed(const struct spool_header *header, int fd,
			const struct spool_read_thread *thread, struct spool_thread *again)
{
	return !spool_check_pread_thread(fd, header, thread->offset, again) &&
	       again->state == SPOOL_THREAD_LIVE && again->tid == thread->slot.tid &&
	       again->start_ns == thread->slot.start_ns && again->seen_ns == thread->slot.seen_ns &&
	       again->seen_cpu_ns == thread->slot.seen_cpu_ns;
}

/* Returns true if the thread waits; *wait says since when and where. */
static bool look(const struct spool_read *spool, int fd, struct namer *namer,
		 struct spool_read_thread *thread, struct wait *wait)
{
	unsigned pid = spool->header.pid, tid = thread->slot.tid;
	struct spool_thread again;
	char text[TEXT_BYTES];
	uint64_t cpu_ns;

	for (unsigned i = 0; i < TRIES; i++) {
		*wait = (struct wait){ .now_ns = now_monotonic_ns() };
		if (!thread->slot.seen_ns || !is_waiting(pid, tid, text) ||
		    !read_cpu_ns(pid, tid, text, &cpu_ns))
			return false;
		wait->pc = read_pc(pid, tid, text);
		read_kernel(pid, tid, namer, text, wait);
		if (slot_stayed(&spool->header, fd, thread, &again)) {
			wait->since_ns = thread->slot.seen_ns + cpu_ns - thread->slot.seen_cpu_ns;
			return cpu_ns >= thread->slot.seen_cpu_ns && wait->since_ns < wait->now_ns;
		}
		/* The samples that it added meanwhile are left for the next reader, as if we had
		 * read the slot now. */
		thread->slot.seen_ns = again.seen_ns;
		thread->slot.seen_cpu_ns = again.seen_cpu_ns;
		if (again.state != SPOOL_THREAD_LIVE || again.tid != tid)
			return false;
	}
	return false;
}

static bool is_counted(const struct spool_header *header, uint32_t counter)
{
	const struct spool_counter *about = &header->counter[counter];

	return about->flags & SPOOL_COUNTER_OFF_CPU && about->period == 1 &&
	       !(about->flags & SPOOL_COUNTER_UNAVAILABLE);
}

static uint32_t add_node(struct spool_read_thread *thread, uint64_t pc, uint32_t parent)
{
	thread->nodes[thread->node_count] =
		(struct spool_read_node){ .pc = pc, .parent = parent, .generation = NOW };
	return (uint32_t)thread->node_count++;
}

/* Add the wait to a log that may have other runs, and no THREAD for this one yet: a point where it
 * began, and a span up to now. */
static int add_logged(struct spool_read_thread *thread, uint32_t leaf, uint32_t counter,
		      const struct wait *wait)
{
	const struct spool_read_run run = { thread->slot.tid, thread->slot.start_ns, 0 };
	struct spool_read_log *log = &thread->log;

	if (!log->run_count) {
		if (!grow(&log->runs, log->run_count, sizeof(run)))
			return -ENOMEM;
		log->runs[log->run_count++] = run;
	}
	for (int span = 0; span < 2; span++) {
		if (!grow(&log->samples, log->sample_count, sizeof(*log->samples)))
			return -ENOMEM;
		log->samples[log->sample_count++] = (struct spool_read_sample){
			.time_ns = span ? wait->now_ns : wait->since_ns,
			.samples = !span,
			.events = span ? wait->now_ns - wait->since_ns : 0,
			.node = leaf,
			.run = log->run_count - 1,
			.counter = counter,
		};
	}
	return 0;
}

/* Add a separate stack whose leaf has the weight. */
static int add_wait(struct spool_read *spool, struct spool_read_thread *thread,
		    const struct wait *wait)
{
	bool logged = spool->header.timeline_bytes;
	uint32_t counters = spool->header.counter_count, leaf;
	size_t most = thread->node_count + 2 + wait->depth;
	struct spool_read_node *nodes = reallocarray(thread->nodes, most, sizeof(*nodes));
	struct spool_read_weight *weights;

	if (!nodes)
		return -ENOMEM;
	thread->nodes = nodes;
	weights = reallocarray(thread->weights, most * counters, sizeof(*weights));
	if (!weights)
		return -ENOMEM;
	thread->weights = weights;
	memset(weights + thread->node_count * counters, 0,
	       (most - thread->node_count) * counters * sizeof(*weights));
	leaf = add_node(thread, SPOOL_PC_BLOCKED, SPOOL_READ_ROOT);
	if (wait->pc)
		leaf = add_node(thread, wait->pc, leaf);
	for (unsigned i = wait->depth; i--;)
		leaf = add_node(thread, wait->kernel[i], leaf);
	for (uint32_t c = 0; c < counters; c++) {
		if (!is_counted(&spool->header, c))
			continue;
		weights[leaf * counters + c] =
			(struct spool_read_weight){ 1, wait->now_ns - wait->since_ns };
		thread->slot.total[c].value += wait->now_ns - wait->since_ns;
		thread->slot.count[SPOOL_COUNT_SAMPLES]++;
		thread->slot.count[SPOOL_COUNT_LEAF_ONLY]++;
		thread->slot.count[SPOOL_COUNT_KERNEL_SAMPLES]++;
		if (logged && add_logged(thread, leaf, c, wait))
			return -ENOMEM;
	}
	return 0;
}

/* Root examines only processes of the spool's user, whatever pid another user writes into a
 * spool. */
static bool is_its_users(const struct spool_header *header)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", header->pid);
	return header->uid == 0 || (!stat(path, &st) && st.st_uid == header->uid);
}

/* Returns true if the pid is that of the spool's process (not of another namespace or of a later
 * process), and its clock is ours. */
static bool is_here(const struct spool_header *header)
{
	char pid[16], path[64], its[64] = "", ours[64] = "";

	snprintf(pid, sizeof(pid), "%u", header->pid);
	if (header->state != SPOOL_RUNNING || !header->start_ticks ||
	    spool_files_start_ticks(pid) != header->start_ticks || !is_its_users(header))
		return false;
	snprintf(path, sizeof(path), "/proc/%s/ns/time", pid);
	/* an unreadable time namespace is taken for ours: other ones are rare */
	return readlink(path, its, sizeof(its) - 1) <= 0 ||
	       readlink("/proc/self/ns/time", ours, sizeof(ours) - 1) <= 0 || !strcmp(its, ours);
}

int blocked_add(struct spool_read *spool, int fd, struct namer *namer)
{
	bool any = false;
	int err = 0;

	for (uint32_t c = 0; c < spool->header.counter_count; c++)
		any |= is_counted(&spool->header, c);
	if (!any || !is_here(&spool->header))
		return 0;
	for (size_t i = 0; !err && i < spool->thread_count; i++) {
		struct spool_read_thread *thread = &spool->threads[i];
		struct wait wait;

		if (thread->slot.state == SPOOL_THREAD_LIVE &&
		    look(spool, fd, namer, thread, &wait) &&
		    /* as for a sample taken when the thread left the CPU */
		    spool_window_holds(&spool->header, wait.since_ns))
			err = add_wait(spool, thread, &wait);
	}
	return err;
}

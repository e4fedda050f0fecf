/* Times are CLOCK_REALTIME: spools may come from different boots and hosts. */
#include "runtime/profile/merge/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/events/perf_errors.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/spool/spool_files.h"
#include "runtime/profile/spool/spool_read.h"

static void add_counts(struct profile_summary *summary, const _Atomic uint64_t *count)
{
	for (unsigned i = 0; i < SPOOL_COUNTS_NUMBER; i++)
		summary->count[i] += count[i];
}

/* Samples that no stack carries. */
static uint64_t lost(const struct profile_summary *summary)
{
#define NAME(id, place, text) [SPOOL_COUNT_##id] = #id,
	static const char *const names[] = { SPOOL_COUNTS(NAME) };
#undef NAME
	uint64_t sum = 0;

	for (unsigned i = 0; i < SPOOL_COUNTS_NUMBER; i++)
		if (!strncmp(names[i], "LOST_", 5))
			sum += summary->count[i];
	return sum;
}

/* Returns the CPU time of a process that lies before the start of one of its images, and in none.
 * Spools of version 4 do not have it. */
static uint64_t before(const struct profile_process *process)
{
	return process->until_ns > process->sampled_ns ? process->until_ns - process->sampled_ns
						       : 0;
}

static void add_cpu_time(struct profile_summary *summary, const struct spool_header *header,
			 struct profile_process *process)
{
	uint64_t until_ns = header->before_ns + header->cpu_ns;

	summary->cpu_ns += header->cpu_ns;
	summary->before_ns -= before(process);
	process->sampled_ns += header->cpu_ns;
	if (process->until_ns < until_ns)
		process->until_ns = until_ns;
	summary->before_ns += before(process);
}

void profile_processes_free(struct profile_processes *processes)
{
	map_free(&processes->numbers);
	free(processes->list);
}

static struct profile_process *process_of(struct profile_processes *processes,
					  const struct spool_header *header)
{
	uint32_t *at = map_at(&processes->numbers, header->pid, header->start_ticks);

	if (!at)
		return NULL;
	if (!*at) {
		if (!grow(&processes->list, processes->count, sizeof(*processes->list)))
			return NULL;
		processes->list[processes->count] = (struct profile_process){ 0 };
		*at = (uint32_t)++processes->count;
	}
	return &processes->list[*at - 1];
}

int profile_summary_add(struct profile_summary *summary, struct profile_processes *processes,
			const struct spool_read *spool)
{
	const struct spool_header *header = &spool->header;
	uint64_t handler_before_ns = summary->count[SPOOL_COUNT_HANDLER_NS];
	struct profile_process *process = process_of(processes, header);
	uint64_t last_ns = summary->start_realtime_ns + summary->wall_ns;
	uint64_t end_ns = header->start_realtime_ns;

	if (!process)
		return -ENOMEM;
	summary->spools++;
	summary->processes = (unsigned)processes->count;
	summary->damaged += spool->damaged;
	add_cpu_time(summary, header, process);
	if (header->engine < 32)
		summary->engines |= 1u << header->engine;
	add_counts(summary, header->count);
	for (size_t i = 0; i < spool->thread_count; i++) {
		summary->threads += spool_read_threads(&spool->threads[i].slot);
		add_counts(summary, spool->threads[i].slot.count);
	}
	if (header->cpu_ns)
		summary->cpu_handler_ns +=
			summary->count[SPOOL_COUNT_HANDLER_NS] - handler_before_ns;
	summary->lost = lost(summary);
	if (header->end_ns > header->start_ns)
		end_ns += header->end_ns - header->start_ns;
	if (summary->spools == 1 || header->start_realtime_ns < summary->start_realtime_ns)
		summary->start_realtime_ns = header->start_realtime_ns;
	if (end_ns > last_ns)
		last_ns = end_ns;
	summary->wall_ns = last_ns - summary->start_realtime_ns;
	return 0;
}

/* An image that was replaced by exec says nothing about the end of its process. */
void profile_summary_add_state(struct profile_summary *summary, const char *path,
			       const struct spool_header *header)
{
	enum spool_files_state state;

	if (header->state != SPOOL_RUNNING)
		return;
	state = spool_files_state_of(path, header);
	summary->running += state == SPOOL_FILES_RUNNING;
	summary->killed += state == SPOOL_FILES_KILLED;
}

/* The lives of threads that ended are in the sum of their process.  Those of the others are added
 * here, up to the process's end or to the last moment at which it is known to have run. */
void lacks_add(struct lacks *lacks, const struct spool_read *spool, unsigned counter)
{
	const struct spool_header *header = &spool->header;
	const struct spool_lack *lack = &header->lack[counter];
	uint64_t end_ns = header->end_ns ? header->end_ns : spool->last_ns;
	uint64_t ns = lack->ended_ns;

	for (size_t i = 0; i < spool->thread_count; i++) {
		const struct spool_thread *slot = &spool->threads[i].slot;

		if (slot->state == SPOOL_THREAD_LIVE && slot->lacks >> counter & 1 &&
		    slot->start_ns < end_ns)
			ns += end_ns - slot->start_ns;
	}
	lacks->threads += lack->threads;
	lacks->ns += (int64_t)ns > 0 ? ns : 0;
	if (!lacks->why)
		lacks->why = lack->why;
}

static bool is_filtered(void)
{
	return true;
}

static bool is_not_filtered(void)
{
	return false;
}

static const struct perf_error *error_of(const struct lacks *lacks)
{
	return perf_errors_explain((int)(lacks->why & (SPOOL_LACK_FILTERED - 1)),
				   lacks->why & SPOOL_LACK_FILTERED ? is_filtered
								    : is_not_filtered);
}

const char *lacks_cause(const struct lacks *lacks)
{
	const struct perf_error *error = error_of(lacks);

	return error ? error->cause : NULL;
}

const char *lacks_remedy(const struct lacks *lacks)
{
	const struct perf_error *error = error_of(lacks);

	return error ? error->remedy : NULL;
}

bool lacks_size(const struct lacks *lacks, char *text, size_t bytes)
{
	char time[64];

	if (!lacks->threads)
		return false;
	number_text_duration(lacks->ns, time, sizeof(time));
	snprintf(text, bytes, "%llu thread%s (%s)", (unsigned long long)lacks->threads,
		 lacks->threads == 1 ? "" : "s", time);
	return true;
}

bool lacks_text(const struct lacks *lacks, char *text, size_t bytes)
{
	const char *cause = lacks_cause(lacks), *remedy = lacks_remedy(lacks);
	char size[128];

	if (!lacks_size(lacks, size, sizeof(size)))
		return false;
	snprintf(text, bytes, "unknown for %s%s%s%s%s", size, cause ? ": " : "", cause ? cause : "",
		 remedy ? "; " : "", remedy ? remedy : "");
	return true;
}

/*
 * The lives of threads that ended are in the sum of their process.  Those of the others are added
 * here, up to the process's end or to the last moment at which it is known to have run.
 */
#include "runtime/profile/analysis/lacks.h"

#include <stdio.h>

#include "config/events/perf_errors.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/spool/spool_read.h"

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

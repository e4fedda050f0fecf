/* Logs in a small spool, for unit tests. */

#include "tests/support/log_made_up.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/sample/log/log_budget.h"

struct spool_thread log_slots[LOG_MADE_UP_THREADS];
struct log log_of[LOG_MADE_UP_THREADS];
struct labels log_labels[LOG_MADE_UP_THREADS];
struct log_walk log_walked;

int log_made_up(unsigned chunks, unsigned timeline)
{
	memset((void *)log_slots, 0, sizeof(log_slots));
	memset(log_of, 0, sizeof(log_of));
	memset((void *)log_labels, 0, sizeof(log_labels));
	if (spool_own_open(chunks * 1UL * SPOOL_CHUNK_BYTES))
		return -1;
	spool_own.header->counter_count = LOG_MADE_UP_COUNTERS;
	spool_own.header->counter[1].leader = 0;
	spool_own.header->counter[2].leader = spool_own.header->counter[3].leader = 2;
	spool_own.header->node_bytes =
		sizeof(struct spool_node) + LOG_MADE_UP_COUNTERS * sizeof(struct spool_weight);
	spool_own.header->timeline_bytes = timeline * 1UL * SPOOL_CHUNK_BYTES;
	log_budget_start(&spool_own);
	return 0;
}

void log_made_up_again(unsigned chunks, unsigned timeline)
{
	spool_own_close();
	if (log_made_up(chunks, timeline))
		abort();
}

struct log *log_made_up_thread(unsigned which)
{
	struct spool_thread *slot = &log_slots[which];

	atomic_store(&slot->tid, which + 1);
	atomic_store(&slot->start_ns, 1000 + which);
	log_start(&log_of[which], &spool_own, slot, &log_labels[which]);
	return &log_of[which];
}

void log_made_up_add(struct log *log, uint64_t time_ns, uint32_t node, unsigned counter,
		     uint64_t samples, uint64_t events)
{
	log_add(log, &(struct log_sample){ .time_ns = time_ns,
					   .samples = samples,
					   .events = events,
					   .node = node,
					   .counter = counter });
}

void log_made_up_group(struct log *log, uint64_t time_ns, uint32_t node, uint64_t events,
		       uint64_t member)
{
	log_made_up_add(log, time_ns, node, 0, 1, events);
	log_add(log, &(struct log_sample){ .time_ns = time_ns,
					   .events = member,
					   .node = node,
					   .counter = 1,
					   .member = true });
}

void log_made_up_walk(const struct spool_thread *slot)
{
	free(log_walked.found);
	log_walked = (struct log_walk){ 0 };
	log_walk(&log_walked, spool_own.header, atomic_load(&slot->first_log));
	if (log_walked.wrong)
		abort();
}

/*
 * What does the time of a sample cost?  Samples are added to a node of a call tree, with a log
 * beside it and without a timeline: instructions, counted by single steps, and time, measured in
 * turn.  The log has room for all, or too little, so that its older part is thinned again and
 * again.  One line each: name value unit runs.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/stepped.h"
#include "runtime/sample/log/log.h"
#include "runtime/sample/log/log_budget.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/tree/tree.h"

#define RUNS	  15
#define SAMPLES	  200000 /* of a run: some 400 chunks */
#define STEPS	  2000
#define PERIOD_NS 1001001
#define FEW	  16 /* chunks: thinned all the time */

static struct spool_alloc spool;
static struct spool_thread slot;
static struct labels labels;
static struct tree tree;
static struct log log_of;
static uint32_t node;

/* What the handler does once the stack of a sample is known. */
static __attribute__((noinline)) void weigh(uint64_t time_ns, uint64_t events)
{
	struct log_sample sample = {
		.time_ns = time_ns, .samples = 1, .events = events, .node = node
	};

	tree_weigh(&tree, node, 0, 1, events);
	log_add(&log_of, &sample);
}

static void take(unsigned times)
{
	for (uint64_t i = 0; i < times; i++)
		weigh(i * PERIOD_NS, PERIOD_NS + i % 1000);
}

/* Begins an empty spool, of which the log may have so many bytes. */
static void begin(uint64_t timeline_bytes)
{
	static const uint64_t pcs[] = { 0x1002, 0x1001 };
	bool overflowed = false;

	if (spool.header) {
		spool_alloc_unlink(&spool);
		spool_alloc_abandon(&spool);
	}
	if (spool_alloc_create(&spool, "/dev/shm", 64 << 20, (unsigned)getpid(), 1))
		exit(1);
	spool.header->counter_count = 1;
	spool.header->node_bytes = sizeof(struct spool_node) + sizeof(struct spool_weight);
	spool.header->timeline_bytes = timeline_bytes;
	memset((void *)&slot, 0, sizeof(slot));
	atomic_store(&slot.tid, 1);
	log_budget_start(&spool);
	tree_start(&tree, &spool, NULL, &slot.first_chunk);
	log_start(&log_of, &spool, &slot, &labels);
	node = tree_path(&tree, 0, pcs, 2, &overflowed);
	if (!node)
		exit(1);
}

static double instructions(uint64_t timeline_bytes)
{
	begin(timeline_bytes);
	take(1); /* has made the first chunk */
	return (double)(stepped(take, STEPS) - stepped(take, 0)) / STEPS;
}

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double run_ns(uint64_t timeline_bytes)
{
	double start;

	begin(timeline_bytes);
	start = now_ns();
	take(SAMPLES);
	return (now_ns() - start) / SAMPLES;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median(double values[RUNS])
{
	qsort(values, RUNS, sizeof(*values), compare);
	return values[RUNS / 2];
}

int main(void)
{
	const uint64_t all = 32 << 20, few = FEW * SPOOL_CHUNK_BYTES;
	double without[RUNS], with[RUNS], thinned[RUNS], none = instructions(0);

	for (int i = 0; i < RUNS; i++) {
		without[i] = run_ns(0);
		with[i] = run_ns(all);
		thinned[i] = run_ns(few);
	}
	printf("log_cost.instructions %.1f instructions %d\n", instructions(all) - none, STEPS);
	printf("log_cost.instructions.without %.1f instructions %d\n", none, STEPS);
	printf("log_cost.time %.1f ns %d\n", median(with) - median(without), RUNS);
	printf("log_cost.time.thinned %.1f ns %d\n", median(thinned) - median(without), RUNS);
	printf("log_cost.time.without %.1f ns %d\n", median(without), RUNS);
	spool_alloc_unlink(&spool);
	return 0;
}

/* For any contents of the kernel's ring and any start of the reading: the reading ends, touches
 * nothing outside, and returns pointers into the ring or the scratch memory. */
#include <linux/perf_event.h>

#include "runtime/sample/perf/ring.h"
#include "tests/fuzz/fuzz.h"

#define PAGE_BYTES 4096
#define HEAD_BYTES 8

static const struct record_format formats[] = {
	{ .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_READ | PERF_SAMPLE_PERIOD |
			 PERF_SAMPLE_CALLCHAIN,
	  .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			 PERF_FORMAT_TOTAL_TIME_RUNNING },
	{ .sample_type = PERF_SAMPLE_TIME, .trailer = true },
	{ .sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER,
	  .regs_user = 0xff0fff },
};

static bool inside(const void *pointer, const char *memory, const void *scratch)
{
	const char *at = pointer;

	return !at || (at >= memory && at <= memory + 2 * PAGE_BYTES) ||
	       (at >= (const char *)scratch && at <= (const char *)scratch + RING_SCRATCH_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *memory = aligned_alloc(PAGE_BYTES, 2 * PAGE_BYTES);
	void *scratch = malloc(RING_SCRATCH_BYTES);
	struct perf_event_mmap_page *page = (void *)memory;
	struct ring ring = { .page = page, .mapped_bytes = 2 * PAGE_BYTES };
	unsigned records = 0;
	struct record record;

	CHECK(memory && scratch);
	if (size < HEAD_BYTES)
		goto out;
	memset(memory, 0, 2 * PAGE_BYTES);
	memcpy(&ring.tail, data, sizeof(ring.tail));
	ring.tail &= ~7ULL;
	size = (size - HEAD_BYTES) & ~(size_t)7;
	if (size > PAGE_BYTES)
		size = PAGE_BYTES;
	for (size_t i = 0; i < size; i++)
		memory[PAGE_BYTES + (ring.tail + i) % PAGE_BYTES] = (char)data[HEAD_BYTES + i];
	page->data_head = ring.tail + size;
	CHECK(ring_pending(&ring) == (size != 0));
	ring_begin(&ring);
	while (ring_next(&ring, &formats[data[0] % 3], scratch, &record)) {
		CHECK(++records <= size / sizeof(struct perf_event_header));
		CHECK(record.kind >= 0 && record.kind < RECORD_KINDS);
		if (record.kind == RECORD_MALFORMED)
			continue; /* nothing else of it means anything */
		CHECK(inside(record.chain, memory, scratch) &&
		      inside(record.text, memory, scratch));
		for (unsigned i = 0; record.kind == RECORD_SAMPLE && i < record.chain_depth; i++)
			CHECK(record.chain[i] | 1);
		CHECK(record.counts.count <= EVENTS_MAX);
	}
	ring_end(&ring);
	CHECK(page->data_tail == page->data_head);
out:
	free(memory);
	free(scratch);
	return 0;
}

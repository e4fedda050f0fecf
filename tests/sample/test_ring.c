/* The kernel's ring: records in order, put together where they wrap, dropped where they lie. */

#include <linux/perf_event.h>
#include <string.h>

#include "runtime/sample/perf/ring.h"
#include "tests/support/unit.h"

#define PAGE_BYTES 4096

static _Alignas(PAGE_BYTES) char memory[2 * PAGE_BYTES];
static uint64_t scratch[RING_SCRATCH_BYTES / 8];
static struct ring ring;
static const struct record_format format = { .sample_type = PERF_SAMPLE_TIME };

static struct perf_event_mmap_page *page(void)
{
	return (void *)memory;
}

UNIT(setup)
{
	memset(memory, 0, sizeof(memory));
	ring = (struct ring){ .page = page(), .mapped_bytes = sizeof(memory) };
	return 0;
}

static void put_byte(char byte)
{
	memory[PAGE_BYTES + page()->data_head % PAGE_BYTES] = byte;
	page()->data_head++;
}

static void put(const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		put_byte(((const char *)bytes)[i]);
}

static void put_sample(uint64_t time_ns)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 16 };

	put(&header, sizeof(header));
	put(&time_ns, sizeof(time_ns));
}

/* A record of `size` bytes that is not needed. */
static void put_filler(uint16_t size)
{
	struct perf_event_header header = { .type = PERF_RECORD_MMAP2, .size = size };

	put(&header, sizeof(header));
	for (size_t i = sizeof(header); i < size; i++)
		put_byte(0x55);
}

TEST(records_come_in_order_and_make_room)
{
	struct record record;

	for (uint64_t round = 0; round < 1000; round++) {
		assert_false(ring_pending(&ring));
		put_sample(round);
		put_sample(round + 1);
		assert_true(ring_pending(&ring));
		ring_begin(&ring);
		for (uint64_t i = 0; i < 2; i++) {
			assert_true(ring_next(&ring, &format, scratch, &record));
			assert_int_equal(record.kind, RECORD_SAMPLE);
			assert_int_equal(record.time_ns, round + i);
		}
		assert_false(ring_next(&ring, &format, scratch, &record));
		ring_end(&ring);
		assert_int_equal(page()->data_tail, page()->data_head);
	}
}

TEST(a_record_that_wraps_is_put_together)
{
	struct record record;

	put_filler(PAGE_BYTES - 8);
	ring_begin(&ring);
	assert_true(ring_next(&ring, &format, scratch, &record));
	ring_end(&ring);
	put_sample(0x1122334455667788); /* header at the end, time at the beginning */
	ring_begin(&ring);
	assert_true(ring_next(&ring, &format, scratch, &record));
	assert_int_equal(record.kind, RECORD_SAMPLE);
	assert_true(record.time_ns == 0x1122334455667788);
	ring_end(&ring);
}

TEST(a_record_of_impossible_size_ends_the_reading)
{
	static const uint16_t sizes[] = { 0, 4, 12, 8000 };
	struct record record;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = sizes[i] };

		unit_setup(state);
		put(&header, sizeof(header));
		put_sample(1);
		ring_begin(&ring);
		assert_true(ring_next(&ring, &format, scratch, &record));
		assert_int_equal(record.kind, RECORD_MALFORMED);
		assert_false(ring_next(&ring, &format, scratch, &record));
		ring_end(&ring);
		assert_int_equal(page()->data_tail, page()->data_head);
	}
}

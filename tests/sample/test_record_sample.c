/* The needed fields of a sample stand where perf_output_sample() of the kernel puts them, whatever
 * other fields come before. */

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sample/perf/record.h"
#include "tests/support/unit.h"

#define PAIR(low, high) ((uint64_t)(low) | (uint64_t)(high) << 32)
#define HW_INDEX	(1ULL << 17)
#define WORDS_MAX	96

/* One field: its bit, its words, and how it looks when read; NULL: it is passed over. */
struct field {
	uint64_t bit;
	unsigned count;
	uint64_t words[8];
	void (*check)(const struct record *record);
};

static const struct record_format format = {
	.read_format = PERF_FORMAT_GROUP,
	.branch_type = HW_INDEX,
	.regs_user = 0x5, /* two registers */
};

static void has_ip(const struct record *record)
{
	assert_int_equal(record->ip, 0x401000);
}

static void has_time(const struct record *record)
{
	assert_int_equal(record->time_ns, 1000);
}

static void has_address(const struct record *record)
{
	assert_int_equal(record->address, 0x7fff0000);
}

static void has_counts(const struct record *record)
{
	assert_int_equal(record->counts.count, 2);
	assert_int_equal(record->counts.value[0], 21);
	assert_int_equal(record->counts.value[1], 22);
}

static void has_chain(const struct record *record)
{
	assert_int_equal(record->chain_depth, 2);
	assert_int_equal(record->chain[0], 0xffffffff81000001);
	assert_int_equal(record->chain[1], 0xffffffff81000002);
}

static void has_data_source(const struct record *record)
{
	assert_int_equal(record->data_source, 92);
}

/* In the kernel's order, up to the last needed one. */
static const struct field fields[] = {
	{ PERF_SAMPLE_IDENTIFIER, 1, { 61 }, NULL },
	{ PERF_SAMPLE_IP, 1, { 0x401000 }, has_ip },
	{ PERF_SAMPLE_TID, 1, { PAIR(11, 12) }, NULL },
	{ PERF_SAMPLE_TIME, 1, { 1000 }, has_time },
	{ PERF_SAMPLE_ADDR, 1, { 0x7fff0000 }, has_address },
	{ PERF_SAMPLE_ID, 1, { 61 }, NULL },
	{ PERF_SAMPLE_STREAM_ID, 1, { 62 }, NULL },
	{ PERF_SAMPLE_CPU, 1, { PAIR(5, 0) }, NULL },
	{ PERF_SAMPLE_PERIOD, 1, { 4000 }, NULL },
	{ PERF_SAMPLE_READ, 3, { 2, 21, 22 }, has_counts },
	{ PERF_SAMPLE_CALLCHAIN,
	  6,
	  { 5, (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000001, 0xffffffff81000002,
	    (uint64_t)PERF_CONTEXT_USER, 0x401000 },
	  has_chain },
	{ PERF_SAMPLE_RAW, 2, { PAIR(12, 0x72776172), 0x7761727761727761 }, NULL },
	{ PERF_SAMPLE_BRANCH_STACK, 8, { 2, 9, 71, 72, 73, 74, 75, 76 }, NULL },
	{ PERF_SAMPLE_REGS_USER, 3, { PERF_SAMPLE_REGS_ABI_64, 81, 82 }, NULL },
	{ PERF_SAMPLE_STACK_USER, 4, { 16, 0x6174736b63617473, 0, 8 }, NULL },
	{ PERF_SAMPLE_WEIGHT, 1, { 91 }, NULL },
	{ PERF_SAMPLE_DATA_SRC, 1, { 92 }, has_data_source },
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

/* A sample of the chosen fields, cut after `keep` words, read from memory of its size. */
static void read_fields(uint64_t type, unsigned keep, struct record *record, void **kept,
			unsigned *whole)
{
	struct record_format wanted = format;
	uint64_t words[WORDS_MAX];
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE };
	size_t size;
	char *bytes;

	*whole = 0;
	for (size_t i = 0; i < FIELDS; i++) {
		if (!(type & fields[i].bit))
			continue;
		memcpy(words + *whole, fields[i].words, fields[i].count * 8);
		*whole += fields[i].count;
	}
	if (keep > *whole)
		keep = *whole;
	size = sizeof(header) + keep * 8;
	bytes = malloc(size);
	assert_non_null(bytes);
	header.size = (uint16_t)size;
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), words, keep * 8);
	wanted.sample_type = type;
	record_parse(&wanted, bytes, size, record);
	*kept = bytes;
}

TEST(each_field_is_read_by_itself)
{
	for (size_t i = 0; i < FIELDS; i++) {
		struct record record;
		unsigned whole;
		void *kept;

		read_fields(fields[i].bit, UINT32_MAX, &record, &kept, &whole);
		assert_int_equal(record.kind, RECORD_SAMPLE);
		if (fields[i].check)
			fields[i].check(&record);
		free(kept);
	}
}

TEST(each_field_is_read_behind_all_before_it)
{
	uint64_t type = 0;

	for (size_t i = 0; i < FIELDS; i++) {
		struct record record;
		unsigned whole;
		void *kept;

		type |= fields[i].bit;
		read_fields(type, UINT32_MAX, &record, &kept, &whole);
		assert_int_equal(record.kind, RECORD_SAMPLE);
		for (size_t before = 0; before <= i; before++)
			if (fields[before].check)
				fields[before].check(&record);
		free(kept);
	}
}

TEST(a_sample_that_ends_too_early_is_malformed)
{
	uint64_t type = 0;
	unsigned whole = 1;

	for (size_t i = 0; i < FIELDS; i++)
		type |= fields[i].bit;
	for (unsigned keep = 0; keep < whole; keep++) {
		struct record record;
		void *kept;

		read_fields(type, keep, &record, &kept, &whole);
		assert_int_equal(record.kind, RECORD_MALFORMED);
		free(kept);
	}
}

/* Sizes that would run around the end of the address space are refused like any other. */
TEST(a_sample_with_absurd_sizes_is_malformed)
{
	static const uint64_t sized[] = { PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_STACK,
					  PERF_SAMPLE_STACK_USER, PERF_SAMPLE_READ };

	for (size_t i = 0; i < sizeof(sized) / sizeof(sized[0]); i++) {
		struct record_format wanted = format;
		uint64_t record_words[3] = { 0, UINT64_MAX, UINT64_MAX };
		struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 24 };
		struct record record;

		memcpy(record_words, &header, sizeof(header));
		wanted.sample_type = sized[i];
		record_parse(&wanted, record_words, sizeof(record_words), &record);
		assert_int_equal(record.kind, RECORD_MALFORMED);
	}
}

TEST(a_sample_in_the_kernel_is_told)
{
	const struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_KERNEL,
		.size = sizeof(header),
	};
	struct record record;

	record_parse(&format, &header, sizeof(header), &record);
	assert_true(record.in_kernel);
}

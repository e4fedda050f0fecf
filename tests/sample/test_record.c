/* Every type of record that is needed is read where the kernel puts its fields, and no other; those
 * of a sample stand where perf_output_sample() puts them, whatever other fields come before. */

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sample/perf/ring.h"
#include "tests/support/unit.h"

#define HW_INDEX	(1ULL << 17)
#define WORDS_MAX	96
#define PAIR(low, high) ((uint64_t)(low) | (uint64_t)(high) << 32)
#define TRAILER_FIELDS                                                                 \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define TRAILER PAIR(11, 12), 1000, 1001, 1002, PAIR(3, 0), 1001
#define PATH	0x62696c2f62696c2f /* /lib/lib */, 0x6f732e63 /* c.so */

static struct record record; /* that was read last */

struct example {
	const char *name;
	uint32_t type;
	uint16_t misc;
	struct record_format format;
	uint64_t words[16]; /* behind the header; texts are words too */
	unsigned count;
	struct record expected;
};

/* The record that was read last has these members, and no others. */
static void assert_read(const struct record *expected)
{
	assert_int_equal(record.kind, expected->kind);
	assert_int_equal(record.in_kernel, expected->in_kernel);
	assert_int_equal(record.preempted, expected->preempted);
	assert_int_equal(record.removed, expected->removed);
	assert_int_equal(record.time_ns, expected->time_ns);
	assert_int_equal(record.ip, expected->ip);
	assert_int_equal(record.address, expected->address);
	assert_int_equal(record.chain_depth, expected->chain_depth);
	if (expected->chain)
		assert_memory_equal(record.chain, expected->chain, expected->chain_depth * 8);
	assert_int_equal(record.data_source, expected->data_source);
	assert_int_equal(record.lost, expected->lost);
	assert_int_equal(record.start, expected->start);
	assert_int_equal(record.bytes, expected->bytes);
	assert_string_equal(record.text ? record.text : "", expected->text ? expected->text : "");
	assert_int_equal(record.counts.count, expected->counts.count);
	assert_memory_equal(record.counts.value, expected->counts.value, record.counts.count * 8);
}

static const struct example examples[] = {
	{ "LOST", PERF_RECORD_LOST, 0, { 0 }, { 5, 123 }, 2, { .kind = RECORD_LOST, .lost = 123 } },
	{ "LOST_SAMPLES",
	  PERF_RECORD_LOST_SAMPLES,
	  0,
	  { 0 },
	  { 123 },
	  1,
	  { .kind = RECORD_LOST, .lost = 123 } },
	{ "THROTTLE",
	  PERF_RECORD_THROTTLE,
	  0,
	  { 0 },
	  { 1, 2, 3 },
	  3,
	  { .kind = RECORD_THROTTLED } },
	{ "MMAP2",
	  PERF_RECORD_MMAP2,
	  0,
	  { 0 },
	  { PAIR(11, 12), 0x1000, 0x2000, 0x3000, PAIR(8, 1), 77, 78, PAIR(5, 2), PATH },
	  10,
	  { .kind = RECORD_MAPPED, .start = 0x1000, .bytes = 0x2000, .text = "/lib/libc.so" } },
	{ "SWITCH, out",
	  PERF_RECORD_SWITCH,
	  PERF_RECORD_MISC_SWITCH_OUT | 1u << 14,
	  { .trailer = true, .sample_type = PERF_SAMPLE_TIME },
	  { 1000 },
	  1,
	  { .kind = RECORD_SWITCHED_OUT, .preempted = true, .time_ns = 1000 } },
	{ "SWITCH, in, with a long trailer",
	  PERF_RECORD_SWITCH,
	  0,
	  { .trailer = true, .sample_type = TRAILER_FIELDS },
	  { TRAILER },
	  6,
	  { .kind = RECORD_SWITCHED_IN, .time_ns = 1000 } },
	{ "KSYMBOL",
	  17,
	  0,
	  { .trailer = true, .sample_type = PERF_SAMPLE_TIME },
	  { 0xffffffff81000000, PAIR(64, 1 | 1 << 16), 0x676f72705f667062 /* bpf_prog */, 0, 1000 },
	  5,
	  { .kind = RECORD_KERNEL_SYMBOL,
	    .removed = true,
	    .time_ns = 1000,
	    .start = 0xffffffff81000000,
	    .bytes = 64,
	    .text = "bpf_prog" } },
};

static const struct example others[] = {
	{ "COMM", PERF_RECORD_COMM, 0, { 0 }, { 1, 2, 3 }, 3, { .kind = RECORD_OTHER } },
	{ "UNTHROTTLE",
	  PERF_RECORD_UNTHROTTLE,
	  0,
	  { 0 },
	  { 1, 2, 3 },
	  3,
	  { .kind = RECORD_OTHER } },
	{ "AUX_OUTPUT_HW_ID", 21, 0, { 0 }, { 17 }, 1, { .kind = RECORD_OTHER } },
	{ "a type of tomorrow", 999, 0, { 0 }, { 1, 2, 3 }, 3, { .kind = RECORD_OTHER } },
};

#define NUMBER(table) (sizeof(table) / sizeof((table)[0]))

/* In memory of exactly its size, so that the sanitizer sees every byte read behind it. */
static void parse(struct perf_event_header header, const struct record_format *format,
		  const uint64_t *words, unsigned count)
{
	static char *bytes;

	header.size = (uint16_t)(sizeof(header) + count * 8);
	free(bytes);
	bytes = malloc(header.size);
	assert_non_null(bytes);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), words, count * 8);
	record_parse(format, (const void *)bytes, header.size, &record);
}

static void parse_example(const struct example *example, unsigned count)
{
	parse((struct perf_event_header){ .type = example->type, .misc = example->misc },
	      &example->format, example->words, count);
}

static void read_all(const struct example *all, size_t number)
{
	for (size_t i = 0; i < number; i++) {
		parse_example(&all[i], all[i].count);
		if (record.kind == RECORD_MALFORMED)
			fail_msg("%s is taken for malformed", all[i].name);
		assert_read(&all[i].expected);
	}
}

TEST(each_needed_type_of_record_is_read)
{
	read_all(examples, NUMBER(examples));
}

TEST(other_types_are_passed_over)
{
	read_all(others, NUMBER(others));
}

TEST(a_record_that_ends_too_early_is_malformed)
{
	for (unsigned i = 0; i < NUMBER(examples); i++)
		for (unsigned count = 0; count < examples[i].count; count++) {
			parse_example(&examples[i], count);
			if (record.kind != RECORD_MALFORMED)
				fail_msg("%s is accepted with %u of %u words", examples[i].name,
					 count, examples[i].count);
		}
}

TEST(a_record_of_another_size_than_its_header_says_is_malformed)
{
	const struct perf_event_header header = { .type = PERF_RECORD_LOST, .size = 64 };
	const struct record_format format = { 0 };

	record_parse(&format, &header, sizeof(header), &record);
	assert_int_equal(record.kind, RECORD_MALFORMED);
}

TEST(a_text_without_its_end_is_malformed)
{
	const struct example endless = {
		"KSYMBOL", 17, 0, { 0 }, { 1, 2, 0x737373656c646e65 /* endlesss */ }, 3, { 0 }
	};

	parse_example(&endless, endless.count);
	assert_int_equal(record.kind, RECORD_MALFORMED);
}

/* One field: its bit, its words, and what is read of it; nothing: it is passed over. */
struct field {
	uint64_t bit;
	unsigned count;
	uint64_t words[8];
	struct record read;
};

static const struct record_format sample_format = {
	.read_format = PERF_FORMAT_GROUP,
	.branch_type = HW_INDEX,
	.regs_user = 0x5, /* two registers */
};

static const uint64_t chain[] = { 0xffffffff81000001, 0xffffffff81000002 };

/* In the kernel's order, up to the last needed one. */
static const struct field fields[] = {
	{ PERF_SAMPLE_IDENTIFIER, 1, { 61 }, { 0 } },
	{ PERF_SAMPLE_IP, 1, { 0x401000 }, { .ip = 0x401000 } },
	{ PERF_SAMPLE_TID, 1, { PAIR(11, 12) }, { 0 } },
	{ PERF_SAMPLE_TIME, 1, { 1000 }, { .time_ns = 1000 } },
	{ PERF_SAMPLE_ADDR, 1, { 0x7fff0000 }, { .address = 0x7fff0000 } },
	{ PERF_SAMPLE_ID, 1, { 61 }, { 0 } },
	{ PERF_SAMPLE_STREAM_ID, 1, { 62 }, { 0 } },
	{ PERF_SAMPLE_CPU, 1, { PAIR(5, 0) }, { 0 } },
	{ PERF_SAMPLE_PERIOD, 1, { 4000 }, { 0 } },
	{ PERF_SAMPLE_READ, 3, { 2, 21, 22 }, { .counts = { .count = 2, .value = { 21, 22 } } } },
	{ PERF_SAMPLE_CALLCHAIN,
	  6,
	  { 5, (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000001, 0xffffffff81000002,
	    (uint64_t)PERF_CONTEXT_USER, 0x401000 },
	  { .chain_depth = 2, .chain = chain } },
	{ PERF_SAMPLE_RAW, 2, { PAIR(12, 0x72776172), 0x7761727761727761 }, { 0 } },
	{ PERF_SAMPLE_BRANCH_STACK, 8, { 2, 9, 71, 72, 73, 74, 75, 76 }, { 0 } },
	{ PERF_SAMPLE_REGS_USER, 3, { PERF_SAMPLE_REGS_ABI_64, 81, 82 }, { 0 } },
	{ PERF_SAMPLE_STACK_USER, 4, { 16, 0x6174736b63617473, 0, 8 }, { 0 } },
	{ PERF_SAMPLE_WEIGHT, 1, { 91 }, { 0 } },
	{ PERF_SAMPLE_DATA_SRC, 1, { 92 }, { .data_source = 92 } },
};

/* Reads a sample of the chosen fields, cut after `keep` words.  Returns how many it has. */
static unsigned read_fields(uint64_t type, unsigned keep)
{
	struct record_format wanted = sample_format;
	uint64_t words[WORDS_MAX];
	unsigned whole = 0;

	for (size_t i = 0; i < NUMBER(fields); i++) {
		if (!(type & fields[i].bit))
			continue;
		memcpy(words + whole, fields[i].words, fields[i].count * 8);
		whole += fields[i].count;
	}
	wanted.sample_type = type;
	parse((struct perf_event_header){ .type = PERF_RECORD_SAMPLE }, &wanted, words,
	      keep < whole ? keep : whole);
	return whole;
}

TEST(each_field_is_read_by_itself)
{
	for (size_t i = 0; i < NUMBER(fields); i++) {
		struct record expected = fields[i].read;

		expected.kind = RECORD_SAMPLE;
		read_fields(fields[i].bit, UINT32_MAX);
		assert_read(&expected);
	}
}

TEST(each_field_is_read_behind_all_before_it)
{
	struct record expected = { .kind = RECORD_SAMPLE };
	uint64_t type = 0;

	for (size_t i = 0; i < NUMBER(fields); i++) {
		type |= fields[i].bit;
		for (size_t j = 0; j < sizeof(expected); j++) /* no two fields share a member */
			((char *)&expected)[j] |= ((const char *)&fields[i].read)[j];
		read_fields(type, UINT32_MAX);
		assert_read(&expected);
	}
}

TEST(a_sample_that_ends_too_early_is_malformed)
{
	uint64_t type = 0;
	unsigned whole = 1;

	for (size_t i = 0; i < NUMBER(fields); i++)
		type |= fields[i].bit;
	for (unsigned keep = 0; keep < whole; keep++) {
		whole = read_fields(type, keep);
		assert_int_equal(record.kind, RECORD_MALFORMED);
	}
}

/* Sizes that would run around the end of the address space are refused like any other. */
TEST(a_sample_with_absurd_sizes_is_malformed)
{
	static const uint64_t sized[] = { PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_STACK,
					  PERF_SAMPLE_STACK_USER, PERF_SAMPLE_READ };
	static const uint64_t absurd[] = { UINT64_MAX, UINT64_MAX };

	for (size_t i = 0; i < NUMBER(sized); i++) {
		struct record_format wanted = sample_format;

		wanted.sample_type = sized[i];
		parse((struct perf_event_header){ .type = PERF_RECORD_SAMPLE }, &wanted, absurd, 2);
		assert_int_equal(record.kind, RECORD_MALFORMED);
	}
}

TEST(a_sample_in_the_kernel_is_told)
{
	parse((struct perf_event_header){ .type = PERF_RECORD_SAMPLE,
					  .misc = PERF_RECORD_MISC_KERNEL },
	      &sample_format, (uint64_t[]){ 0 }, 0);
	assert_true(record.in_kernel);
}

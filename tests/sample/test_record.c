/* Every type of record that is needed is read where the kernel puts its fields, and no other; those
 * of a sample stand where perf_output_sample() puts them, whatever other fields come before. */

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sample/perf/record.h"
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
	void (*check)(void);
};

static void is_mapped(void)
{
	assert_int_equal(record.kind, RECORD_MAPPED);
	assert_int_equal(record.start, 0x1000);
	assert_int_equal(record.bytes, 0x2000);
	assert_string_equal(record.text, "/lib/libc.so");
}

static void is_lost(void)
{
	assert_int_equal(record.kind, RECORD_LOST);
	assert_int_equal(record.lost, 123);
}

static void is_throttle(void)
{
	assert_int_equal(record.kind, RECORD_THROTTLED);
}

static void is_switch_out(void)
{
	assert_int_equal(record.kind, RECORD_SWITCHED_OUT);
	assert_true(record.preempted);
	assert_int_equal(record.time_ns, 1000);
}

static void is_switch_in(void)
{
	assert_int_equal(record.kind, RECORD_SWITCHED_IN);
	assert_false(record.preempted);
	assert_int_equal(record.time_ns, 1000);
}

static void is_ksymbol(void)
{
	assert_int_equal(record.kind, RECORD_KERNEL_SYMBOL);
	assert_int_equal(record.start, 0xffffffff81000000);
	assert_int_equal(record.bytes, 64);
	assert_true(record.removed);
	assert_string_equal(record.text, "bpf_prog");
}

static void is_other(void)
{
	assert_int_equal(record.kind, RECORD_OTHER);
}

static const struct example examples[] = {
	{ "LOST", PERF_RECORD_LOST, 0, { 0 }, { 5, 123 }, 2, is_lost },
	{ "LOST_SAMPLES", PERF_RECORD_LOST_SAMPLES, 0, { 0 }, { 123 }, 1, is_lost },
	{ "THROTTLE", PERF_RECORD_THROTTLE, 0, { 0 }, { 1, 2, 3 }, 3, is_throttle },
	{ "MMAP2",
	  PERF_RECORD_MMAP2,
	  0,
	  { 0 },
	  { PAIR(11, 12), 0x1000, 0x2000, 0x3000, PAIR(8, 1), 77, 78, PAIR(5, 2), PATH },
	  10,
	  is_mapped },
	{ "SWITCH, out",
	  PERF_RECORD_SWITCH,
	  PERF_RECORD_MISC_SWITCH_OUT | 1u << 14,
	  { .trailer = true, .sample_type = PERF_SAMPLE_TIME },
	  { 1000 },
	  1,
	  is_switch_out },
	{ "SWITCH, in, with a long trailer",
	  PERF_RECORD_SWITCH,
	  0,
	  { .trailer = true, .sample_type = TRAILER_FIELDS },
	  { TRAILER },
	  6,
	  is_switch_in },
	{ "KSYMBOL",
	  17,
	  0,
	  { .trailer = true, .sample_type = PERF_SAMPLE_TIME },
	  { 0xffffffff81000000, PAIR(64, 1 | 1 << 16), 0x676f72705f667062 /* bpf_prog */, 0, 1000 },
	  5,
	  is_ksymbol },
};

static const struct example others[] = {
	{ "COMM", PERF_RECORD_COMM, 0, { 0 }, { 1, 2, 3 }, 3, is_other },
	{ "UNTHROTTLE", PERF_RECORD_UNTHROTTLE, 0, { 0 }, { 1, 2, 3 }, 3, is_other },
	{ "AUX_OUTPUT_HW_ID", 21, 0, { 0 }, { 17 }, 1, is_other },
	{ "a type of tomorrow", 999, 0, { 0 }, { 1, 2, 3 }, 3, is_other },
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
		all[i].check();
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
		"KSYMBOL", 17, 0, { 0 }, { 1, 2, 0x737373656c646e65 /* endlesss */ }, 3, NULL
	};

	parse_example(&endless, endless.count);
	assert_int_equal(record.kind, RECORD_MALFORMED);
}

/* One field: its bit, its words, and how it looks when read; NULL: it is passed over. */
struct field {
	uint64_t bit;
	unsigned count;
	uint64_t words[8];
	void (*check)(void);
};

static const struct record_format sample_format = {
	.read_format = PERF_FORMAT_GROUP,
	.branch_type = HW_INDEX,
	.regs_user = 0x5, /* two registers */
};

static void has_ip(void)
{
	assert_int_equal(record.ip, 0x401000);
}

static void has_time(void)
{
	assert_int_equal(record.time_ns, 1000);
}

static void has_address(void)
{
	assert_int_equal(record.address, 0x7fff0000);
}

static void has_counts(void)
{
	assert_int_equal(record.counts.count, 2);
	assert_int_equal(record.counts.value[0], 21);
	assert_int_equal(record.counts.value[1], 22);
}

static void has_chain(void)
{
	assert_int_equal(record.chain_depth, 2);
	assert_int_equal(record.chain[0], 0xffffffff81000001);
	assert_int_equal(record.chain[1], 0xffffffff81000002);
}

static void has_data_source(void)
{
	assert_int_equal(record.data_source, 92);
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
		read_fields(fields[i].bit, UINT32_MAX);
		assert_int_equal(record.kind, RECORD_SAMPLE);
		if (fields[i].check)
			fields[i].check();
	}
}

TEST(each_field_is_read_behind_all_before_it)
{
	uint64_t type = 0;

	for (size_t i = 0; i < NUMBER(fields); i++) {
		type |= fields[i].bit;
		read_fields(type, UINT32_MAX);
		assert_int_equal(record.kind, RECORD_SAMPLE);
		for (size_t before = 0; before <= i; before++)
			if (fields[before].check)
				fields[before].check();
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

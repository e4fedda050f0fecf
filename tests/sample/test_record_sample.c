/* Every field of a sample stands where perf_output_sample() of the kernel puts it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sample/perf/record.h"

#define PAIR(low, high) ((uint64_t)(low) | (uint64_t)(high) << 32)
#define HW_INDEX	(1ULL << 17)
#define WORDS_MAX	96

/* One field: its bit, its words, and how it looks when read. */
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
	.regs_intr = 0x80,
};

static void has_ip(const struct record *record)
{
	assert_int_equal(record->ip, 0x401000);
}

static void has_tid(const struct record *record)
{
	assert_int_equal(record->pid, 11);
	assert_int_equal(record->tid, 12);
}

static void has_time(const struct record *record)
{
	assert_int_equal(record->time_ns, 1000);
}

static void has_address(const struct record *record)
{
	assert_int_equal(record->address, 0x7fff0000);
}

static void has_id(const struct record *record)
{
	assert_int_equal(record->id, 61);
}

static void has_stream(const struct record *record)
{
	assert_int_equal(record->stream_id, 62);
}

static void has_cpu(const struct record *record)
{
	assert_int_equal(record->cpu, 5);
}

static void has_period(const struct record *record)
{
	assert_int_equal(record->period, 4000);
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

static void has_raw(const struct record *record)
{
	assert_int_equal(record->raw.count, 12);
	assert_memory_equal(record->raw.byte, "rawrawrawraw", 12);
}

static void has_branches(const struct record *record)
{
	assert_int_equal(record->branch_index, 9);
	assert_int_equal(record->branches.count, 2);
	assert_int_equal(record->branches.word[0], 71);
	assert_int_equal(record->branches.word[5], 76);
}

static void has_user_registers(const struct record *record)
{
	assert_int_equal(record->regs_user_abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(record->regs_user.count, 2);
	assert_int_equal(record->regs_user.word[1], 82);
}

static void has_stack(const struct record *record)
{
	assert_int_equal(record->stack.count, 8); /* of 16 reserved */
	assert_memory_equal(record->stack.byte, "stacksta", 8);
}

static void has_weight(const struct record *record)
{
	assert_int_equal(record->weight, 91);
}

static void has_data_source(const struct record *record)
{
	assert_int_equal(record->data_source, 92);
}

static void has_transaction(const struct record *record)
{
	assert_int_equal(record->transaction, 93);
}

static void has_interrupted_registers(const struct record *record)
{
	assert_int_equal(record->regs_intr.count, 1);
	assert_int_equal(record->regs_intr.word[0], 94);
}

static void has_physical_address(const struct record *record)
{
	assert_int_equal(record->physical_address, 95);
}

static void has_cgroup(const struct record *record)
{
	assert_int_equal(record->cgroup, 96);
}

static void has_data_page(const struct record *record)
{
	assert_int_equal(record->data_page_bytes, 4096);
}

static void has_code_page(const struct record *record)
{
	assert_int_equal(record->code_page_bytes, 2097152);
}

static void has_aux(const struct record *record)
{
	assert_int_equal(record->aux.count, 8);
	assert_memory_equal(record->aux.byte, "auxauxau", 8);
}

/* In the kernel's order; the identifier stands first and repeats the id. */
static const struct field fields[] = {
	{ PERF_SAMPLE_IDENTIFIER, 1, { 61 }, has_id },
	{ PERF_SAMPLE_IP, 1, { 0x401000 }, has_ip },
	{ PERF_SAMPLE_TID, 1, { PAIR(11, 12) }, has_tid },
	{ PERF_SAMPLE_TIME, 1, { 1000 }, has_time },
	{ PERF_SAMPLE_ADDR, 1, { 0x7fff0000 }, has_address },
	{ PERF_SAMPLE_ID, 1, { 61 }, has_id },
	{ PERF_SAMPLE_STREAM_ID, 1, { 62 }, has_stream },
	{ PERF_SAMPLE_CPU, 1, { PAIR(5, 0) }, has_cpu },
	{ PERF_SAMPLE_PERIOD, 1, { 4000 }, has_period },
	{ PERF_SAMPLE_READ, 3, { 2, 21, 22 }, has_counts },
	{ PERF_SAMPLE_CALLCHAIN,
	  6,
	  { 5, (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000001, 0xffffffff81000002,
	    (uint64_t)PERF_CONTEXT_USER, 0x401000 },
	  has_chain },
	{ PERF_SAMPLE_RAW, 2, { PAIR(12, 0x72776172), 0x7761727761727761 }, has_raw },
	{ PERF_SAMPLE_BRANCH_STACK, 8, { 2, 9, 71, 72, 73, 74, 75, 76 }, has_branches },
	{ PERF_SAMPLE_REGS_USER, 3, { PERF_SAMPLE_REGS_ABI_64, 81, 82 }, has_user_registers },
	{ PERF_SAMPLE_STACK_USER, 4, { 16, 0x6174736b63617473, 0, 8 }, has_stack },
	{ PERF_SAMPLE_WEIGHT, 1, { 91 }, has_weight },
	{ PERF_SAMPLE_DATA_SRC, 1, { 92 }, has_data_source },
	{ PERF_SAMPLE_TRANSACTION, 1, { 93 }, has_transaction },
	{ PERF_SAMPLE_REGS_INTR, 2, { PERF_SAMPLE_REGS_ABI_64, 94 }, has_interrupted_registers },
	{ PERF_SAMPLE_PHYS_ADDR, 1, { 95 }, has_physical_address },
	{ 1ULL << 21, 1, { 96 }, has_cgroup },
	{ 1ULL << 22, 1, { 4096 }, has_data_page },
	{ 1ULL << 23, 1, { 2097152 }, has_code_page },
	{ PERF_SAMPLE_AUX, 2, { 8, 0x7561787561787561 }, has_aux },
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

static void each_field_is_read_by_itself(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIELDS; i++) {
		struct record record;
		unsigned whole;
		void *kept;

		read_fields(fields[i].bit, UINT32_MAX, &record, &kept, &whole);
		assert_int_equal(record.kind, RECORD_SAMPLE);
		fields[i].check(&record);
		free(kept);
	}
}

static void each_field_is_read_behind_all_before_it(void **state)
{
	uint64_t type = 0;

	(void)state;
	for (size_t i = 0; i < FIELDS; i++) {
		struct record record;
		unsigned whole;
		void *kept;

		type |= fields[i].bit;
		read_fields(type, UINT32_MAX, &record, &kept, &whole);
		assert_int_equal(record.kind, RECORD_SAMPLE);
		for (size_t before = 0; before <= i; before++)
			fields[before].check(&record);
		free(kept);
	}
}

static void a_sample_that_ends_too_early_is_malformed(void **state)
{
	uint64_t type = 0;
	unsigned whole = 1;

	(void)state;
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
static void a_sample_with_absurd_sizes_is_malformed(void **state)
{
	static const uint64_t sized[] = { PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_STACK,
					  PERF_SAMPLE_STACK_USER, PERF_SAMPLE_AUX,
					  PERF_SAMPLE_READ };

	(void)state;
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

static void a_sample_in_the_kernel_and_an_exact_one_are_told(void **state)
{
	const struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_EXACT_IP,
		.size = sizeof(header),
	};
	struct record record;

	(void)state;
	record_parse(&format, &header, sizeof(header), &record);
	assert_true(record.in_kernel);
	assert_true(record.exact);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_field_is_read_by_itself),
		cmocka_unit_test(each_field_is_read_behind_all_before_it),
		cmocka_unit_test(a_sample_that_ends_too_early_is_malformed),
		cmocka_unit_test(a_sample_with_absurd_sizes_is_malformed),
		cmocka_unit_test(a_sample_in_the_kernel_and_an_exact_one_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

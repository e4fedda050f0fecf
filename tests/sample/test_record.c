/* Every type of record that is needed is read where the kernel puts its fields, and no other. */

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sample/perf/record.h"
#include "tests/support/unit.h"

#define PAIR(low, high) ((uint64_t)(low) | (uint64_t)(high) << 32)
#define TRAILER_FIELDS                                                                 \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define TRAILER PAIR(11, 12), 1000, 1001, 1002, PAIR(3, 0), 1001
#define PATH	0x62696c2f62696c2f /* /lib/lib */, 0x6f732e63 /* c.so */

struct example {
	const char *name;
	uint32_t type;
	uint16_t misc;
	struct record_format format;
	uint64_t words[16]; /* behind the header; texts are words too */
	unsigned count;
	void (*check)(const struct record *record);
};

static void is_mapped(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_MAPPED);
	assert_int_equal(record->start, 0x1000);
	assert_int_equal(record->bytes, 0x2000);
	assert_string_equal(record->text, "/lib/libc.so");
}

static void is_lost(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_LOST);
	assert_int_equal(record->lost, 123);
}

static void is_throttle(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_THROTTLED);
}

static void is_switch_out(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_SWITCHED_OUT);
	assert_true(record->preempted);
	assert_int_equal(record->time_ns, 1000);
}

static void is_switch_in(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_SWITCHED_IN);
	assert_false(record->preempted);
	assert_int_equal(record->time_ns, 1000);
}

static void is_ksymbol(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_KERNEL_SYMBOL);
	assert_int_equal(record->start, 0xffffffff81000000);
	assert_int_equal(record->bytes, 64);
	assert_true(record->removed);
	assert_string_equal(record->text, "bpf_prog");
}

static void is_other(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_OTHER);
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
static void parse(const struct example *example, unsigned count, struct record *record, void **kept)
{
	size_t size = sizeof(struct perf_event_header) + count * 8;
	char *bytes = malloc(size);
	struct perf_event_header header = { .type = example->type,
					    .misc = example->misc,
					    .size = (uint16_t)size };

	assert_non_null(bytes);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), example->words, count * 8);
	*kept = bytes;
	record_parse(&example->format, *kept, size, record);
}

static void read_all(const struct example *all, size_t number)
{
	for (size_t i = 0; i < number; i++) {
		struct record record;
		void *kept;

		parse(&all[i], all[i].count, &record, &kept);
		if (record.kind == RECORD_MALFORMED)
			fail_msg("%s is taken for malformed", all[i].name);
		all[i].check(&record);
		free(kept);
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
	for (unsigned i = 0; i < NUMBER(examples); i++) {
		for (unsigned count = 0; count < examples[i].count; count++) {
			struct record record;
			void *kept;

			parse(&examples[i], count, &record, &kept);
			if (record.kind != RECORD_MALFORMED)
				fail_msg("%s is accepted with %u of %u words", examples[i].name,
					 count, examples[i].count);
			free(kept);
		}
	}
}

TEST(a_record_of_another_size_than_its_header_says_is_malformed)
{
	const struct perf_event_header header = { .type = PERF_RECORD_LOST, .size = 64 };
	const struct record_format format = { 0 };
	struct record record;

	record_parse(&format, &header, sizeof(header), &record);
	assert_int_equal(record.kind, RECORD_MALFORMED);
}

TEST(a_text_without_its_end_is_malformed)
{
	const struct example endless = {
		"KSYMBOL", 17, 0, { 0 }, { 1, 2, 0x737373656c646e65 /* endlesss */ }, 3, NULL
	};
	struct record record;
	void *kept;

	parse(&endless, endless.count, &record, &kept);
	assert_int_equal(record.kind, RECORD_MALFORMED);
	free(kept);
}

/* Every type of record and every field of a sample is found where the kernel puts it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sample/perf/record.h"
#include "tests/support/record_examples.h"

/* In memory of exactly its size, so that the sanitizer sees every byte read behind it. */
static void *build(const struct record_example *example, unsigned count)
{
	size_t size = sizeof(struct perf_event_header) + count * 8;
	char *bytes = malloc(size);
	struct perf_event_header header = { .type = example->type,
					    .misc = example->misc,
					    .size = (uint16_t)size };

	assert_non_null(bytes);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), example->words, count * 8);
	return bytes;
}

static void parse(const struct record_example *example, unsigned count, struct record *record,
		  void **kept)
{
	*kept = build(example, count);
	record_parse(&example->format, *kept, sizeof(struct perf_event_header) + count * 8, record);
}

static void each_type_of_record_is_read(void **state)
{
	(void)state;
	for (unsigned i = 0; i < record_examples_count; i++) {
		struct record record;
		void *kept;

		parse(&record_examples[i], record_examples[i].count, &record, &kept);
		if (record.kind == RECORD_MALFORMED)
			fail_msg("%s is taken for malformed", record_examples[i].name);
		record_examples[i].check(&record);
		free(kept);
	}
}

static void a_record_that_ends_too_early_is_malformed(void **state)
{
	(void)state;
	for (unsigned i = 0; i + 1 < record_examples_count; i++) {
		for (unsigned count = 0; count < record_examples[i].count; count++) {
			struct record record;
			void *kept;

			parse(&record_examples[i], count, &record, &kept);
			if (record.kind != RECORD_MALFORMED)
				fail_msg("%s is accepted with %u of %u words",
					 record_examples[i].name, count, record_examples[i].count);
			free(kept);
		}
	}
}

static void every_type_the_kernel_has_is_in_the_table(void **state)
{
	bool seen[PERF_RECORD_MAX] = { [0] = true, [PERF_RECORD_SAMPLE] = true };

	(void)state;
	for (unsigned i = 0; i < record_examples_count; i++)
		if (record_examples[i].type < PERF_RECORD_MAX)
			seen[record_examples[i].type] = true;
	for (unsigned type = 0; type < 22 && type < PERF_RECORD_MAX; type++)
		if (!seen[type])
			fail_msg("type %u has no example", type);
}

static void a_record_of_another_size_than_its_header_says_is_malformed(void **state)
{
	const struct perf_event_header header = { .type = PERF_RECORD_COMM, .size = 64 };
	const struct record_format format = { 0 };
	struct record record;

	(void)state;
	record_parse(&format, &header, sizeof(header), &record);
	assert_int_equal(record.kind, RECORD_MALFORMED);
}

static void a_text_without_its_end_is_malformed(void **state)
{
	const struct record_example endless = {
		"COMM", PERF_RECORD_COMM, 0, { 0 }, { 1, 0x737373656c646e65 /* endlesss */ }, 2,
		NULL
	};
	struct record record;
	void *kept;

	(void)state;
	parse(&endless, endless.count, &record, &kept);
	assert_int_equal(record.kind, RECORD_MALFORMED);
	free(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_type_of_record_is_read),
		cmocka_unit_test(a_record_that_ends_too_early_is_malformed),
		cmocka_unit_test(every_type_the_kernel_has_is_in_the_table),
		cmocka_unit_test(a_record_of_another_size_than_its_header_says_is_malformed),
		cmocka_unit_test(a_text_without_its_end_is_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

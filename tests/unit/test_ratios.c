/* Of counters of one group, the ratio that tells something, for each function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/fold/profile.h"
#include "runtime/fold/ratios.h"
#include "tests/unit/spool_builder.h"

#define COUNTERS_MAX 4

/* A profile of one group with these counters; "-clock" counts ns.  Two functions: [overflow]
 * with 1000 of the first counter and 3000, 30, 3 of the others; [truncated] with 10 of the
 * first alone. */
static struct profile *profile_of(const char *const *names, unsigned count)
{
	static const uint64_t events[COUNTERS_MAX] = { 1000, 3000, 30, 3 };
	struct spool_builder builder = spool_builder_new(count, 1 << 20);
	struct spool_header *header = spool_builder_header(&builder);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 1, "t");
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };
	struct profile *profile = profile_new(&options);
	uint32_t busy = spool_builder_node(&builder, &thread, SPOOL_PC_OVERFLOW, 0);
	uint32_t idle = spool_builder_node(&builder, &thread, SPOOL_PC_TRUNCATED, 0);
	char path[] = "/tmp/flametrap-test-XXXXXX";
	char line[512];

	for (unsigned i = 0; i < count; i++) {
		snprintf(header->counter[i].name, SPOOL_NAME_MAX, "%s", names[i]);
		header->counter[i].leader = 0;
		header->counter[i].flags = i ? 0 : SPOOL_COUNTER_SAMPLES;
		header->counter[i].unit =
			strstr(names[i], "-clock") ? SPOOL_UNIT_NS : SPOOL_UNIT_COUNT;
		spool_builder_weigh(&builder, busy, i, i == 0, events[i]);
	}
	spool_builder_weigh(&builder, idle, 0, 1, 10);
	close(mkstemp(path));
	spool_builder_write(&builder, path);
	assert_int_equal(profile_read(profile, path, line, sizeof(line)), 0);
	unlink(path);
	spool_builder_free(&builder);
	return profile;
}

static void instructions_are_told_per_cycle_and_misses_per_thousand_instructions(void **state)
{
	static const char *const names[] = { "cycles:u", "instructions:u", "cache-misses:u" };
	struct profile *profile = profile_of(names, 3);
	struct ratios_pair pair;

	(void)state;
	assert_false(ratios_choose(profile, 0, &pair) && pair.by == 0);
	assert_true(ratios_choose(profile, 1, &pair));
	assert_int_equal(pair.by, 0);
	assert_string_equal(pair.title, "instructions:u for each of cycles:u");
	assert_true(ratios_choose(profile, 2, &pair));
	assert_int_equal(pair.by, 1);
	assert_string_equal(pair.title, "cache-misses:u per thousand instructions:u");
	profile_free(profile);
}

static void faults_are_told_per_millisecond_of_the_clock(void **state)
{
	static const char *const names[] = { "task-clock", "page-faults" };
	struct profile *profile = profile_of(names, 2);
	struct ratios_pair pair;

	(void)state;
	assert_false(ratios_choose(profile, 0, &pair));
	assert_true(ratios_choose(profile, 1, &pair));
	assert_string_equal(pair.title, "page-faults per ms of task-clock");
	profile_free(profile);
}

static void a_counter_by_itself_has_no_ratio(void **state)
{
	static const char *const names[] = { "page-faults" };
	struct profile *profile = profile_of(names, 1);
	struct ratios_pair pair;

	(void)state;
	assert_false(ratios_choose(profile, 0, &pair));
	profile_free(profile);
}

static void each_function_has_its_own_ratio(void **state)
{
	static const char *const names[] = { "cycles", "instructions" };
	struct profile *profile = profile_of(names, 2);
	char text[1024] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");
	struct ratios_pair pair;

	(void)state;
	assert_true(ratios_choose(profile, 1, &pair));
	assert_int_equal(ratios_print(profile, &pair, 0, file), 0);
	fclose(file);
	assert_non_null(strstr(text, "    3.000           3000           1000  [overflow]\n"));
	assert_non_null(strstr(text, "    0.000              0             10  [truncated]\n"));
	assert_true(strstr(text, "[overflow]") < strstr(text, "[truncated]"));
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			instructions_are_told_per_cycle_and_misses_per_thousand_instructions),
		cmocka_unit_test(faults_are_told_per_millisecond_of_the_clock),
		cmocka_unit_test(a_counter_by_itself_has_no_ratio),
		cmocka_unit_test(each_function_has_its_own_ratio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

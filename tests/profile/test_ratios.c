/* The useful ratio of counters of one group, for each function. */
#include <errno.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/output/graph/graph_ratio.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/merge/ratios.h"
#include "tests/support/spool_builder.h"
#include "tests/support/unit.h"

#define COUNTERS_MAX 5

/* Read a spool of one group with these counters; "-clock" counts ns.  Two functions: [overflow]
 * with 1000 of the first counter and 3000, 30, 3 of the others, none of the fifth; [truncated] with
 * 10 of the first alone. */
static void read_spool(struct profile *profile, const char *const *names, unsigned count)
{
	static const uint64_t events[COUNTERS_MAX] = { 1000, 3000, 30, 3, 0 };
	struct spool_builder builder = spool_builder_new(count, 1 << 20);
	struct spool_header *header = spool_builder_header(&builder);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 1, "t");
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
}

static struct profile *profile_of(const char *const *names, unsigned count)
{
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };
	struct profile *profile = profile_new(&options);

	read_spool(profile, names, count);
	return profile;
}

TEST(instructions_are_told_per_cycle_and_misses_per_thousand_instructions)
{
	static const char *const names[] = { "cycles:u", "instructions:u", "cache-misses:u" };
	struct profile *profile = profile_of(names, 3);
	struct ratios_pair pair;

	assert_false(ratios_choose(profile, 0, &pair) && pair.by == 0);
	assert_true(ratios_choose(profile, 1, &pair));
	assert_int_equal(pair.by, 0);
	assert_string_equal(pair.title, "instructions per cycle");
	assert_true(ratios_choose(profile, 2, &pair));
	assert_int_equal(pair.by, 1);
	assert_string_equal(pair.title, "cache-misses per thousand instructions");
	profile_free(profile);
}

TEST(faults_are_told_per_millisecond_of_the_clock)
{
	static const char *const names[] = { "task-clock", "page-faults" };
	struct profile *profile = profile_of(names, 2);
	struct ratios_pair pair;

	assert_false(ratios_choose(profile, 0, &pair));
	assert_true(ratios_choose(profile, 1, &pair));
	assert_string_equal(pair.title, "page-faults per ms of task-clock");
	profile_free(profile);
}

TEST(a_counter_by_itself_has_no_ratio)
{
	static const char *const names[] = { "page-faults" };
	struct profile *profile = profile_of(names, 1);
	struct ratios_pair pair;

	assert_false(ratios_choose(profile, 0, &pair));
	profile_free(profile);
}

static void asked(struct profile *profile, const char *text, int expected, const char *title)
{
	struct ratios_pair pair;
	char line[256] = "";
	int err = ratios_find(profile, text, &pair, line, sizeof(line));

	assert_int_equal(err, expected);
	assert_string_equal(err ? line : pair.title, title);
}

TEST(a_ratio_is_asked_for_by_the_names_of_its_counters)
{
	static const char *const names[] = { "task-clock", "cycles:u", "instructions:u",
					     "cpu/event=3/" };
	struct profile *profile = profile_of(names, 4);

	asked(profile, "instructions", 0, "instructions per cycle");
	asked(profile, "instructions:u", 0, "instructions per cycle");
	asked(profile, "instructions/cycles", 0, "instructions per cycle");
	asked(profile, "instructions:u/cycles:u", 0, "instructions per cycle");
	asked(profile, "cycles/instructions", 0, "cycles per instruction");
	asked(profile, "cycles/task-clock", 0, "cycles:u per ms of task-clock");
	asked(profile, "task-clock/cycles", 0, "ns of task-clock per cycles:u");
	asked(profile, "cpu/event=3//cycles", 0, "cpu/event=3/ per thousand cycles:u");
	asked(profile, "cycles/cpu/event=3/", 0, "cycles:u per thousand cpu/event=3/");
	asked(profile, "cycles/faults", -ENOENT,
	      "cycles/faults does not name two counters; there are task-clock, cycles:u, "
	      "instructions:u, cpu/event=3/");
	asked(profile, "", -ENOENT,
	      " does not name two counters; there are task-clock, cycles:u, instructions:u, "
	      "cpu/event=3/");
	asked(profile, "cycles/cycles:u", -EINVAL, "cycles/cycles:u divides a counter by itself");
	asked(profile, "task-clock", -EINVAL,
	      "task-clock has no counter in its group to be divided by; write task-clock/COUNTER");
	profile_free(profile);
}

TEST(ratios_are_offered_for_the_widths_of_their_divisor_and_leader)
{
	static const char *const names[] = { "task-clock", "cycles", "instructions" };
	struct profile *profile = profile_of(names, 3);
	struct ratios_pair pairs[8];

	assert_int_equal(graph_ratio_offer(profile, 0, pairs, 8), 2);
	assert_string_equal(pairs[0].title, "cycles per ms of task-clock");
	assert_string_equal(pairs[1].title, "instructions per cycle");
	assert_int_equal(graph_ratio_offer(profile, 0, pairs, 1), 1);
	assert_int_equal(graph_ratio_offer(profile, 1, pairs, 8), 1);
	assert_string_equal(pairs[0].title, "instructions per cycle");
	assert_int_equal(graph_ratio_offer(profile, 2, pairs, 8), 0);
	profile_free(profile);
}

/* The second spool's group begins where the first one's counters end. */
TEST(a_group_keeps_its_leader_beside_another_spool)
{
	static const char *const first[] = { "task-clock" };
	static const char *const second[] = { "cycles", "instructions" };
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };
	struct profile *profile = profile_new(&options);

	read_spool(profile, first, 1);
	read_spool(profile, second, 2);
	assert_int_equal(profile_counter_count(profile), 3);
	assert_int_equal(profile_counter(profile, 0)->leader, 0);
	assert_int_equal(profile_counter(profile, 1)->leader, 1);
	assert_int_equal(profile_counter(profile, 2)->leader, 1);
	profile_free(profile);
}

TEST(each_function_has_its_own_ratio)
{
	static const char *const names[] = { "cycles", "instructions" };
	struct profile *profile = profile_of(names, 2);
	char text[1024] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");
	struct ratios_pair pair;

	assert_true(ratios_choose(profile, 1, &pair));
	assert_int_equal(ratios_print(profile, &pair, 0, file), 0);
	fclose(file);
	assert_non_null(strstr(text, "    3.000           3000           1000  [overflow]\n"));
	assert_non_null(strstr(text, "    0.000              0             10  [truncated]\n"));
	assert_true(strstr(text, "[overflow]") < strstr(text, "[truncated]"));
	profile_free(profile);
}

/* A list of no functions is NULL, which qsort(3) and bsearch(3) do not take. */
TEST(a_counter_that_counted_nothing_has_ratios_of_zero)
{
	static const char *const names[] = { "task-clock", "a", "b", "c", "page-faults" };
	struct profile *profile = profile_of(names, 5);
	char text[1024] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");
	struct ratios_pair pair;

	assert_true(ratios_choose(profile, 4, &pair));
	assert_int_equal(ratios_print(profile, &pair, 0, file), 0);
	fclose(file);
	assert_non_null(strstr(text, "    0.000              0           1000  [overflow]\n"));
	profile_free(profile);
}

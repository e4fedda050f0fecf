/* The useful ratio of counters of one group, for each function. */
#include "runtime/output/graph/graph_ratio.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/merge/ratios.h"
#include "tests/support/spool_builder.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define COUNTERS_MAX 5

static struct profile *profile;
static struct ratios_pair pair;

UNIT(setup)
{
	profile = profile_new(&(struct profile_options){ .threads = SETTINGS_THREADS_MERGE });
	return !profile;
}

UNIT(teardown)
{
	profile_free(profile);
	return 0;
}

static uint32_t count_of(const char *const names[])
{
	uint32_t count = 0;

	while (names[count])
		count++;
	return count;
}

/* Read a spool of one group with these counters, up to a NULL; "-clock" counts ns.  Two functions:
 * [overflow] with 1000 of the first counter and 3000, 30, 3 of the others, none of the fifth;
 * [truncated] with 10 of the first alone. */
static void read_spool(const char *const names[])
{
	static const uint64_t events[COUNTERS_MAX] = { 1000, 3000, 30, 3, 0 };
	struct spool_builder builder = spool_builder_new(count_of(names), 1 << 20);
	struct spool_header *header = spool_builder_header(&builder);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 1, "t");
	uint32_t busy = spool_builder_node(&builder, &thread, SPOOL_PC_OVERFLOW, 0);

	for (unsigned i = 0; names[i]; i++) {
		snprintf(header->counter[i].name, SPOOL_NAME_MAX, "%s", names[i]);
		header->counter[i].leader = 0;
		header->counter[i].flags = i ? 0 : SPOOL_COUNTER_SAMPLES;
		header->counter[i].unit =
			strstr(names[i], "-clock") ? SPOOL_UNIT_NS : SPOOL_UNIT_COUNT;
		spool_builder_weigh(&builder, busy, i, i == 0, events[i]);
	}
	spool_builder_leaf(&builder, &thread, SPOOL_PC_TRUNCATED, 0, 1, 10);
	spool_builder_read(&builder, profile);
}

TEST(instructions_are_told_per_cycle_and_misses_per_thousand_instructions)
{
	read_spool((const char *const[]){ "cycles:u", "instructions:u", "cache-misses:u", NULL });
	assert_false(ratios_choose(profile, 0, &pair) && pair.by == 0);
	assert_true(ratios_choose(profile, 1, &pair));
	assert_int_equal(pair.by, 0);
	assert_string_equal(pair.title, "instructions per cycle");
	assert_true(ratios_choose(profile, 2, &pair));
	assert_int_equal(pair.by, 1);
	assert_string_equal(pair.title, "cache-misses per thousand instructions");
}

TEST(faults_are_told_per_millisecond_of_the_clock)
{
	read_spool((const char *const[]){ "task-clock", "page-faults", NULL });
	assert_false(ratios_choose(profile, 0, &pair));
	assert_true(ratios_choose(profile, 1, &pair));
	assert_string_equal(pair.title, "page-faults per ms of task-clock");
}

TEST(a_counter_by_itself_has_no_ratio)
{
	read_spool((const char *const[]){ "page-faults", NULL });
	assert_false(ratios_choose(profile, 0, &pair));
}

static void asked(const char *text, int expected, const char *title)
{
	char line[256] = "";
	int err = ratios_find(profile, text, &pair, line, sizeof(line));

	assert_int_equal(err, expected);
	assert_string_equal(err ? line : pair.title, title);
}

TEST(a_ratio_is_asked_for_by_the_names_of_its_counters)
{
	read_spool((const char *const[]){ "task-clock", "cycles:u", "instructions:u",
					  "cpu/event=3/", NULL });
	asked("instructions", 0, "instructions per cycle");
	asked("instructions:u", 0, "instructions per cycle");
	asked("instructions/cycles", 0, "instructions per cycle");
	asked("instructions:u/cycles:u", 0, "instructions per cycle");
	asked("cycles/instructions", 0, "cycles per instruction");
	asked("cycles/task-clock", 0, "cycles:u per ms of task-clock");
	asked("task-clock/cycles", 0, "ns of task-clock per cycles:u");
	asked("cpu/event=3//cycles", 0, "cpu/event=3/ per thousand cycles:u");
	asked("cycles/cpu/event=3/", 0, "cycles:u per thousand cpu/event=3/");
	asked("cycles/faults", -ENOENT,
	      "cycles/faults does not name two counters; there are task-clock, cycles:u, "
	      "instructions:u, cpu/event=3/");
	asked("", -ENOENT,
	      " does not name two counters; there are task-clock, cycles:u, instructions:u, "
	      "cpu/event=3/");
	asked("cycles/cycles:u", -EINVAL, "cycles/cycles:u divides a counter by itself");
	asked("task-clock", -EINVAL,
	      "task-clock has no counter in its group to be divided by; write task-clock/COUNTER");
}

TEST(ratios_are_offered_for_the_widths_of_their_divisor_and_leader)
{
	struct ratios_pair pairs[8];

	read_spool((const char *const[]){ "task-clock", "cycles", "instructions", NULL });
	assert_int_equal(graph_ratio_offer(profile, 0, pairs, 8), 2);
	assert_string_equal(pairs[0].title, "cycles per ms of task-clock");
	assert_string_equal(pairs[1].title, "instructions per cycle");
	assert_int_equal(graph_ratio_offer(profile, 0, pairs, 1), 1);
	assert_int_equal(graph_ratio_offer(profile, 1, pairs, 8), 1);
	assert_string_equal(pairs[0].title, "instructions per cycle");
	assert_int_equal(graph_ratio_offer(profile, 2, pairs, 8), 0);
}

/* The second spool's group begins where the first one's counters end. */
TEST(a_group_keeps_its_leader_beside_another_spool)
{
	read_spool((const char *const[]){ "task-clock", NULL });
	read_spool((const char *const[]){ "cycles", "instructions", NULL });
	assert_int_equal(profile_counter_count(profile), 3);
	assert_int_equal(profile_counter(profile, 0)->leader, 0);
	assert_int_equal(profile_counter(profile, 1)->leader, 1);
	assert_int_equal(profile_counter(profile, 2)->leader, 1);
}

TEST(each_function_has_its_own_ratio)
{
	read_spool((const char *const[]){ "cycles", "instructions", NULL });
	assert_true(ratios_choose(profile, 1, &pair));
	written_by(ratios_print(profile, &pair, 0, written_begin()));
	wrote("    3.000           3000           1000  [overflow]\n");
	wrote("    0.000              0             10  [truncated]\n");
	assert_true(strstr(written.text, "[overflow]") < strstr(written.text, "[truncated]"));
}

/* A list of no functions is NULL, which qsort(3) and bsearch(3) do not take. */
TEST(a_counter_that_counted_nothing_has_ratios_of_zero)
{
	read_spool((const char *const[]){ "task-clock", "a", "b", "c", "page-faults", NULL });
	assert_true(ratios_choose(profile, 4, &pair));
	written_by(ratios_print(profile, &pair, 0, written_begin()));
	wrote("    0.000              0           1000  [overflow]\n");
}

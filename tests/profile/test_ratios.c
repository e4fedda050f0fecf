/* The useful ratio of counters of one group, for each function; frames coloured by one: each has
 * the ratio of its subtree, or the reason for having none. */
#include "runtime/output/graph/graph.h"
#include "runtime/output/graph/graph_ratio.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/merge/ratios.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/spool_builder.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define COUNTERS_MAX 5
#define WIDTHS	     "a;fast 500\na;slow 400\na;slow;deep 50\na;rare 5\na;idle 45\n"
#define OF	     "a;fast 1500\na;slow 100\na;slow;deep 300\na;rare 5\n"
#define BY	     "a;fast 500\na;slow 400\na;slow;deep 50\na;rare 5\n"
#define SAMPLES	     "a;fast 500\na;slow 400\na;slow;deep 50\na;rare 5\na;idle 45\n"

static struct profile *profile;
static struct ratios_pair pair;
static struct frame_tree *widths;
static struct graph_ratio ratio;
static struct graph_ratio_frames frames;

UNIT(setup)
{
	profile = profile_new(&(struct profile_options){ .threads = SETTINGS_THREADS_MERGE });
	widths = folded_text_tree(WIDTHS);
	ratio = (struct graph_ratio){ .title = "instructions per cycle",
				      .by_name = "cycles",
				      .scale = 1,
				      .of = folded_text_tree(OF),
				      .by = folded_text_tree(BY),
				      .samples = folded_text_tree(SAMPLES),
				      .fewest = 10 };
	return graph_ratio_make(widths, 1, &ratio, &frames);
}

UNIT(teardown)
{
	profile_free(profile);
	graph_ratio_free(&frames);
	frame_tree_free(widths);
	frame_tree_free(ratio.of);
	frame_tree_free(ratio.by);
	frame_tree_free(ratio.samples);
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

/* Frames come in the order of the walk: all, a, fast, idle, rare, slow, deep. */
TEST(each_frame_has_the_ratio_of_its_subtree)
{
	static const uint64_t of[] = { 1905, 1905, 1500, 0, 5, 400, 300 };
	static const uint64_t by[] = { 955, 955, 500, 0, 5, 450, 50 };

	assert_int_equal(frames.count, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(frames.frame[i].of, of[i]);
		assert_int_equal(frames.frame[i].by, by[i]);
	}
}

TEST(a_larger_ratio_never_has_a_lower_step)
{
	for (size_t i = 0; i < frames.count; i++) {
		const struct graph_ratio_frame *one = &frames.frame[i];

		for (size_t j = 0; j < frames.count; j++) {
			const struct graph_ratio_frame *other = &frames.frame[j];

			if (one->step < 0 || other->step < 0)
				continue;
			if (one->of * other->by <= other->of * one->by)
				assert_true(one->step <= other->step);
		}
	}
	assert_int_equal(frames.frame[5].step, 0);			/* slow, 0.89 */
	assert_int_equal(frames.frame[6].step, GRAPH_COLOR_RATIOS - 1); /* deep, 6 */
}

TEST(few_samples_and_a_divisor_of_nothing_make_no_ratio)
{
	assert_int_equal(frames.frame[3].step, GRAPH_RATIO_NONE); /* idle */
	assert_int_equal(frames.frame[4].step, GRAPH_RATIO_FEW);  /* rare */
}

static void draw(bool by_ratio)
{
	struct graph_options options = { .counter = "cycles",
					 .notes = "notes",
					 .ratios = &ratio,
					 .ratio_count = 1,
					 .by_ratio = by_ratio };

	written_by(graph_write(widths, &options, written_begin()));
}

TEST(the_picture_tells_ratios_and_reasons)
{
	draw(true);
	wrote("<title>slow (450 samples, 45.00%), 0.889 instructions per cycle</title>"
	      "<rect class=\"q0\"");
	wrote("<title>deep (50 samples, 5.00%), 6 instructions per cycle</title>"
	      "<rect class=\"q7\"");
	wrote("<title>rare (5 samples, 0.50%), no ratio: fewer than 10 samples</title>"
	      "<rect class=\"n0\"");
	wrote("<title>idle (45 samples, 4.50%), no ratio: no cycles counted</title>"
	      "<rect class=\"n0 edge\"");
	wrote("notes; colour: instructions per cycle</text>");
	wrote("y=\"9.5\">instructions per cycle</text>");
	wrote("y=\"9.5\">fewer than 10 samples</text>");
	wrote("\"byRatio\":true");
}

TEST(a_ratio_that_waits_in_the_menu_leaves_the_picture_alone)
{
	draw(false);
	wrote("<title>slow (450 samples, 45.00%)</title><rect class=\"u");
	wrote("\"title\":\"instructions per cycle\"");
	wrote_not("byRatio\":");
}

static void bounds(double low, double high, const char *expected)
{
	double bound[GRAPH_COLOR_RATIOS - 1];
	unsigned count = graph_ratio_bounds(low, high, bound);
	char text[256] = "";
	char number[NUMBER_TEXT_SHORT_BYTES];

	assert_true(count < GRAPH_COLOR_RATIOS);
	for (unsigned i = 0; i < count; i++) {
		assert_true(bound[i] > low && bound[i] < high && (!i || bound[i] > bound[i - 1]));
		number_text_short(number, bound[i]);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			 number);
	}
	assert_string_equal(text, expected);
}

TEST(bounds_are_round_numbers_between_least_and_most)
{
	bounds(1, 1, "");
	bounds(1, 1.01, "");
	bounds(.8, 3, "1 1.5 2 2.5");
	bounds(1, 1.09, "");
	bounds(1, 1.11, "1.02 1.04 1.06 1.08 1.1");
	bounds(950, 1250, "1,000 1,050 1,100 1,150 1,200");
	bounds(.5, 3, "0.7 1 1.5 2");
	bounds(.1, 9, "0.2 0.5 1 2 5");
	bounds(.5, 800, "1 3 10 30 100 300");
	bounds(1e-6, 1, "0.00001 0.0001 0.001 0.01 0.1");
	bounds(1e-12, 1e12, "0.000000001 0.000001 0.001 1 1,000 1,000,000 1,000,000,000");
}

/* A rough check of every magnitude: bounds() tests order, range and number. */
TEST(bounds_are_few_at_every_size)
{
	double bound[GRAPH_COLOR_RATIOS - 1];

	for (double low = 1e-9; low < 1e9; low *= 3.7)
		for (double factor = 1.12; factor < 1e15; factor *= 1.9) {
			unsigned count = graph_ratio_bounds(low, low * factor, bound);

			assert_true(count < GRAPH_COLOR_RATIOS);
			assert_true(count > 0 || factor < 1e4);
			for (unsigned i = 0; i < count; i++)
				assert_true(bound[i] > low && bound[i] < low * factor);
		}
}

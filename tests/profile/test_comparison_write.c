/* A comparison is shown with its numbers, its doubts, and names that break no table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/made_comparison.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static int json(const struct comparison *comparison, const struct comparison_shown *shown,
		FILE *file)
{
	(void)shown;
	return comparison_write_json(comparison, file);
}

TEST(the_whole_comes_before_its_functions_with_interval_and_share)
{
	struct made_comparison made;
	char *text;
	const struct comparison_shown shown = { .columns = 160 };

	made_comparison(&made);
	text = made_comparison_written(&made, comparison_write_text, &shown);
	holds(text, "before  before.spool: 2 runs\nafter   after.spool: 2 runs\n");
	holds(text, "task-clock rose by 8.0 % (99 % confidence: +7.0 to +9.0 %)\n");
	holds(text, "  2000.0   2160.0   +160.0      +140.0 to +180.0    +8.0     +7.0 to +9.0  "
		    "100.00  100.00 * all functions\n");
	holds(text, "   500.0    660.0   +160.0      +150.0 to +170.0   +32.0   +30.0 to +34.0   "
		    "25.00   30.56 * compute\n");
	holds(text, "noise of the machine\n");
	holds(text, "Values in ms per run");
	holds(text, "Method: Welch's t test; 2 runs before, 2 after; 99 % confidence.\n");
	assert_true(strstr(text, "* wall") < strstr(text, "all functions"));
	assert_true(strstr(text, "all functions") < strstr(text, "* compute"));
	free(text);
}

TEST(what_is_not_sure_is_listed_only_when_asked_for)
{
	struct made_comparison made;
	char *text;

	made_comparison(&made);
	text = made_comparison_written(&made, comparison_write_text,
				       &(struct comparison_shown){ 0 });
	assert_null(strstr(text, "steady"));
	holds(text, "  1 without a significant change: --all lists them too\n");
	free(text);
	text = made_comparison_written(&made, comparison_write_text,
				       &(struct comparison_shown){ .all = true });
	holds(text, "   steady\n");
	free(text);
}

TEST(one_pace_is_said_and_the_whole_at_it_has_a_row)
{
	struct made_comparison made;
	char *text;

	made_comparison(&made);
	text = made_comparison_written(&made, comparison_write_text,
				       &(struct comparison_shown){ 0 });
	assert_null(strstr(text, "normalized"));
	free(text);
	made_comparison_pace(&made);
	text = made_comparison_written(&made, comparison_write_text,
				       &(struct comparison_shown){ .columns = 160 });
	holds(text, "about 10.0 %); 3 functions changed significantly; normalized it rose "
		    "by 2.0 % (+1.5 to +2.5 %)\n");
	holds(text, "  2000.0   2040.0    +40.0        +30.0 to +50.0    +2.0 "
		    "    +1.5 to +2.5  100.00   94.44 * all functions, normalized\n");
	holds(text, "\nFunctions of task-clock are compared normalized: alike in "
		    "all of them, runs took up to 1.5 times as long as others.\n"
		    "What changed all functions alike shows in the whole only.\n");
	free(text);
}

TEST(what_changed_alike_is_said_with_its_change)
{
	struct made_comparison made;
	char *text;

	made_comparison(&made);
	made.counter.changes.speed.alike = true;
	made.counter.changes.speed.shift.relative = 0.312;
	text = made_comparison_written(&made, comparison_write_text,
				       &(struct comparison_shown){ 0 });
	holds(text, "\nMost functions of task-clock changed alike, by about +31.2 %.\n"
		    "Look for what they share: the input, the compiler's options, or the "
		    "speed of the machine (flametrap ab makes runs in turns).\n");
	free(text);
	text = made_comparison_written(&made, json, NULL);
	holds(text, ",\"alike\":true,\"pace\":null,");
	free(text);
}

TEST(json_has_the_pace_or_null)
{
	struct made_comparison made;
	char *text;

	made_comparison(&made);
	text = made_comparison_written(&made, json, NULL);
	holds(text, ",\"alike\":false,\"pace\":null,");
	free(text);
	made_comparison_pace(&made);
	text = made_comparison_written(&made, json, NULL);
	holds(text, ",\"pace\":{\"slowest\":1.5,\"shift\":{\"before\":0.9,"
		    "\"after\":1.1,");
	holds(text, "},\"whole\":{\"before\":2000000000,\"after\":2040000000,");
	free(text);
}

TEST(rows_are_limited_and_the_rest_is_counted)
{
	struct made_comparison made;
	char *text;

	made_comparison(&made);
	text = made_comparison_written(&made, comparison_write_text,
				       &(struct comparison_shown){ .rows = 1 });
	holds(text, "* compute\n  2 more: --rows 0 lists all\n");
	assert_null(strstr(text, "fresh"));
	free(text);
}

TEST(lines_fit_a_terminal)
{
	static const unsigned widths[] = { 80, 160 };
	struct made_comparison made;

	made_comparison(&made);
	made.functions[0].name = "a::very<long>::name_of_a_function(that, takes, a, lot, of, "
				 "arguments, and, returns, something, that, nobody, needs, ever)";
	for (size_t i = 0; i < 2; i++) {
		const struct comparison_shown shown = { .columns = widths[i], .all = true };
		char *text = made_comparison_written(&made, comparison_write_text, &shown),
		     *rest = text, *line;

		while ((line = strsep(&rest, "\n"))) {
			size_t cells = strlen(line);

			for (const char *c = line; *c; c++)
				cells -= (*c & 0xc0) == 0x80;
			if (cells > widths[i])
				fail_msg("%zu cells: %s", cells, line);
		}
		free(text);
	}
}

TEST(no_difference_says_what_could_have_been_seen)
{
	struct made_comparison made;
	char *text;

	made_comparison(&made);
	made.counter.changes.whole = made_comparison_value(2e9, 2.01e9, 2.6e7, false);
	made.measure.result.significant = false;
	for (size_t i = 0; i < 4; i++)
		made.functions[i].self.significant = made.functions[i].total.significant = false;
	text = made_comparison_written(&made, comparison_write_text,
				       &(struct comparison_shown){ .columns = 80 });
	holds(text, "task-clock: no difference that 99 % confidence can tell");
	holds(text, "the smallest change that these runs could have shown: about 1.3 %");
	holds(text, "  no function changed significantly\n");
	assert_null(strchr(text, '*'));
	free(text);
	text = made_comparison_written(&made, comparison_write_markdown,
				       &(struct comparison_shown){ 0 });
	holds(text, "### No difference that 99 % confidence can tell\n");
	free(text);
}

/* Half of what the absolute interval spans: that of the ratio is cut where nothing is left. */
TEST(what_could_have_been_seen_does_not_depend_on_what_was)
{
	struct made_comparison made;
	char *text;

	made_comparison(&made);
	made.counter.changes.whole = made_comparison_value(1e9, 8e8, 3e8, false);
	made.counter.changes.whole.change.relative_low = -.41;
	made.counter.changes.whole.change.relative_high = .16;
	text = made_comparison_written(&made, comparison_write_text,
				       &(struct comparison_shown){ 0 });
	holds(text, "could have shown: about 30.0 %");
	free(text);
	made.counter.changes.whole = made_comparison_value(1e9, 8e8, 3e9, false);
	text = made_comparison_written(&made, comparison_write_text,
				       &(struct comparison_shown){ 0 });
	holds(text, "these runs could hardly have shown a change");
	free(text);
}

/* Who reads the first sentence alone must not take it for the answer. */
TEST(no_difference_of_the_whole_tells_of_functions_that_changed)
{
	static made_comparison_write *const forms[] = { comparison_write_text,
							comparison_write_markdown };
	struct made_comparison made;

	for (size_t form = 0; form < 2; form++) {
		char *text;

		made_comparison(&made);
		made.counter.changes.whole = made_comparison_value(2e9, 2.01e9, 2.6e7, false);
		for (size_t i = 1; i < 4; i++)
			made.functions[i].self.significant = made.functions[i].total.significant =
				false;
		text = made_comparison_written(&made, forms[form], &(struct comparison_shown){ 0 });
		holds(text, "about 1.3 %); one function changed significantly");
		free(text);
		made.functions[2].total.significant = true;
		text = made_comparison_written(&made, forms[form], &(struct comparison_shown){ 0 });
		holds(text, "about 1.3 %); 2 functions changed significantly");
		free(text);
		made.counter.changes.whole.significant = true;
		text = made_comparison_written(&made, forms[form], &(struct comparison_shown){ 0 });
		assert_null(strstr(text, "changed significantly"));
		free(text);
	}
}

TEST(one_run_a_side_says_what_it_does_not_know)
{
	struct made_comparison made;
	char *text;

	made_comparison(&made);
	made.comparison.runs[0] = made.comparison.runs[1] = 1;
	text = made_comparison_written(&made, comparison_write_text,
				       &(struct comparison_shown){ 0 });
	holds(text, "One run a side: variation between runs is unknown, only sampling is "
		    "considered.\nTake several runs a side (flametrap ab).\n");
	free(text);
	text = made_comparison_written(&made, comparison_write_markdown,
				       &(struct comparison_shown){ 0 });
	holds(text, "variation between runs is unknown");
	free(text);
}

TEST(without_intervals_nothing_is_marked)
{
	struct made_comparison made;
	char *text;

	made_comparison(&made);
	made.counter.changes.has_intervals = false;
	made.counter.changes.whole = made_comparison_value(2e9, 2.16e9, NAN, false);
	for (size_t i = 0; i < 4; i++) {
		made.functions[i].self = made_comparison_value(5e8, 6e8, NAN, false);
		made.functions[i].total = made_comparison_value(5e8, 6e8, NAN, false);
	}
	made.measure.result.significant = false;
	text = made_comparison_written(&made, comparison_write_text,
				       &(struct comparison_shown){ 0 });
	holds(text, "task-clock: +8.0 %; whether that is chance is not known\n");
	holds(text, "compute\n");
	assert_null(strchr(text, '*'));
	assert_null(strstr(text, "nan"));
	free(text);
}

TEST(json_has_raw_numbers_and_null_for_what_is_unknown)
{
	struct made_comparison made;
	char *text;

	made_comparison(&made);
	text = made_comparison_written(&made, json, NULL);
	holds(text, "{\"format\":\"flametrap comparison\",\"version\":1,");
	holds(text, "\"before\":{\"label\":\"before.spool\",\"runs\":2}");
	holds(text,
	      "\"before\":{\"runs\":[2000000000,2100000000],\"drift\":0,\"drift_chance\":null");
	holds(text, "{\"name\":\"fresh\",\"self\":{\"before\":0,\"after\":20000000,");
	holds(text, "\"relative\":null,\"relative_low\":null,\"relative_high\":null");
	holds(text, "\"notes\":[\n\"old \\u003cand\\u003e new are compared as one.\"]}\n");
	assert_null(strstr(text, "inf"));
	assert_null(strstr(text, "nan"));
	free(text);
}

TEST(large_values_are_told_in_a_larger_unit)
{
	struct made_comparison made;
	char *text;

	made_comparison(&made);
	made.counter.unit = "events";
	text = made_comparison_written(&made, comparison_write_text,
				       &(struct comparison_shown){ .columns = 80 });
	holds(text, "Values in million events per run");
	holds(text, "  2000.0   2160.0   +160.0");
	free(text);
	made.counter.changes.whole = made_comparison_value(1.5e12, 1.6e12, 1e9, true);
	made.counter.unit = "ns";
	text = made_comparison_written(&made, comparison_write_text,
				       &(struct comparison_shown){ .columns = 80 });
	holds(text, "Values in s per run");
	holds(text, "  1500.0   1600.0   +100.0");
	free(text);
}

TEST(a_full_device_is_reported)
{
	FILE *full = fopen("/dev/full", "w");
	struct made_comparison made;

	if (!full)
		skip();
	setvbuf(full, NULL, _IONBF, 0);
	made_comparison(&made);
	assert_int_not_equal(comparison_write_json(&made.comparison, full), 0);
	assert_int_not_equal(comparison_write_text(&made.comparison,
						   &(struct comparison_shown){ 0 }, full),
			     0);
	fclose(full);
}

/* A comparison is shown with its numbers, its doubts, and names that break no table; in Markdown
 * they end no cell, hide nothing and mention nobody. */
#include "tests/support/made_comparison.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

TEST(the_whole_comes_before_its_functions_with_interval_and_share)
{
	made_comparison_text((struct comparison_shown){ .columns = 160 });
	wrote("before  before.spool: 2 runs\nafter   after.spool: 2 runs\n");
	wrote("task-clock rose by 8.0 % (99 % confidence: +7.0 to +9.0 %)\n");
	wrote("  2000.0   2160.0   +160.0      +140.0 to +180.0    +8.0     +7.0 to +9.0  "
	      "100.00  100.00 * all functions\n");
	wrote("   500.0    660.0   +160.0      +150.0 to +170.0   +32.0   +30.0 to +34.0   "
	      "25.00   30.56 * compute\n");
	wrote("noise of the machine\n");
	wrote("Values in ms per run");
	wrote("Method: Welch's t test; 2 runs before, 2 after; 99 % confidence.\n");
	assert_true(strstr(written.text, "* wall") < strstr(written.text, "all functions"));
	assert_true(strstr(written.text, "all functions") < strstr(written.text, "* compute"));
}

TEST(what_is_not_sure_is_listed_only_when_asked_for)
{
	made_comparison_text((struct comparison_shown){ 0 });
	wrote_not("steady");
	wrote("  1 without a significant change: --all lists them too\n");
	made_comparison_text((struct comparison_shown){ .all = true });
	wrote("   steady\n");
}

TEST(one_pace_is_said_and_the_whole_at_it_has_a_row)
{
	made_comparison_text((struct comparison_shown){ 0 });
	wrote_not("normalized");
	made_comparison_pace();
	made_comparison_text((struct comparison_shown){ .columns = 160 });
	wrote("about 10.0 %); 3 functions changed significantly; normalized it rose "
	      "by 2.0 % (+1.5 to +2.5 %)\n");
	wrote("  2000.0   2040.0    +40.0        +30.0 to +50.0    +2.0 "
	      "    +1.5 to +2.5  100.00   94.44 * all functions, normalized\n");
	wrote("\nFunctions of task-clock are compared normalized: alike in "
	      "all of them, runs took up to 1.5 times as long as others.\n"
	      "What changed all functions alike shows in the whole only.\n");
}

TEST(what_changed_alike_is_said_with_its_change)
{
	made.counter.changes.speed.alike = true;
	made.counter.changes.speed.shift.relative = 0.312;
	made_comparison_text((struct comparison_shown){ 0 });
	wrote("\nMost functions of task-clock changed alike, by about +31.2 %.\n"
	      "Look for what they share: the input, the compiler's options, or the "
	      "speed of the machine (flametrap ab makes runs in turns).\n");
	made_comparison_json();
	wrote(",\"alike\":true,\"pace\":null,");
}

TEST(json_has_the_pace_or_null)
{
	made_comparison_json();
	wrote(",\"alike\":false,\"pace\":null,");
	made_comparison_pace();
	made_comparison_json();
	wrote(",\"pace\":{\"slowest\":1.5,\"shift\":{\"before\":0.9,"
	      "\"after\":1.1,");
	wrote("},\"whole\":{\"before\":2000000000,\"after\":2040000000,");
}

TEST(rows_are_limited_and_the_rest_is_counted)
{
	made_comparison_text((struct comparison_shown){ .rows = 1 });
	wrote("* compute\n  2 more: --rows 0 lists all\n");
	wrote_not("fresh");
}

TEST(lines_fit_a_terminal)
{
	static const unsigned widths[] = { 80, 160 };

	made.functions[0].name = "a::very<long>::name_of_a_function(that, takes, a, lot, of, "
				 "arguments, and, returns, something, that, nobody, needs, ever)";
	for (size_t i = 0; i < 2; i++) {
		char *rest, *line;

		made_comparison_text(
			(struct comparison_shown){ .columns = widths[i], .all = true });
		rest = written.text;
		while ((line = strsep(&rest, "\n"))) {
			size_t cells = strlen(line);

			for (const char *c = line; *c; c++)
				cells -= (*c & 0xc0) == 0x80;
			if (cells > widths[i])
				fail_msg("%zu cells: %s", cells, line);
		}
	}
}

TEST(no_difference_says_what_could_have_been_seen)
{
	made.counter.changes.whole = made_comparison_value(2e9, 2.01e9, 2.6e7, false);
	made.measure.result.significant = false;
	made_comparison_doubt(0, 4);
	made_comparison_text((struct comparison_shown){ .columns = 80 });
	wrote("task-clock: no difference that 99 % confidence can tell");
	wrote("the smallest change that these runs could have shown: about 1.3 %");
	wrote("  no function changed significantly\n");
	wrote_not("*");
	made_comparison_markdown((struct comparison_shown){ 0 });
	wrote("### No difference that 99 % confidence can tell\n");
}

/* Half of what the absolute interval spans: that of the ratio is cut where nothing is left. */
TEST(what_could_have_been_seen_does_not_depend_on_what_was)
{
	made.counter.changes.whole = made_comparison_value(1e9, 8e8, 3e8, false);
	made.counter.changes.whole.change.relative_low = -.41;
	made.counter.changes.whole.change.relative_high = .16;
	made_comparison_text((struct comparison_shown){ 0 });
	wrote("could have shown: about 30.0 %");
	made.counter.changes.whole = made_comparison_value(1e9, 8e8, 3e9, false);
	made_comparison_text((struct comparison_shown){ 0 });
	wrote("these runs could hardly have shown a change");
}

/* Who reads the first sentence alone must not take it for the answer. */
TEST(no_difference_of_the_whole_tells_of_functions_that_changed)
{
	static void (*const forms[])(struct comparison_shown) = { made_comparison_text,
								  made_comparison_markdown };

	for (size_t form = 0; form < 2; form++) {
		made.counter.changes.whole = made_comparison_value(2e9, 2.01e9, 2.6e7, false);
		made_comparison_doubt(1, 4);
		forms[form]((struct comparison_shown){ 0 });
		wrote("about 1.3 %); one function changed significantly");
		made.functions[2].total.significant = true;
		forms[form]((struct comparison_shown){ 0 });
		wrote("about 1.3 %); 2 functions changed significantly");
		made.counter.changes.whole.significant = true;
		forms[form]((struct comparison_shown){ 0 });
		wrote_not("changed significantly");
	}
}

TEST(one_run_a_side_says_what_it_does_not_know)
{
	made.comparison.runs[0] = made.comparison.runs[1] = 1;
	made_comparison_text((struct comparison_shown){ 0 });
	wrote("One run a side: variation between runs is unknown, only sampling is "
	      "considered.\nTake several runs a side (flametrap ab).\n");
	made_comparison_markdown((struct comparison_shown){ 0 });
	wrote("variation between runs is unknown");
}

TEST(without_intervals_nothing_is_marked)
{
	made.counter.changes.has_intervals = false;
	made.counter.changes.whole = made_comparison_value(2e9, 2.16e9, NAN, false);
	for (size_t i = 0; i < 4; i++) {
		made.functions[i].self = made_comparison_value(5e8, 6e8, NAN, false);
		made.functions[i].total = made_comparison_value(5e8, 6e8, NAN, false);
	}
	made.measure.result.significant = false;
	made_comparison_text((struct comparison_shown){ 0 });
	wrote("task-clock: +8.0 %; whether that is chance is not known\n");
	wrote("compute\n");
	wrote_not("*");
	wrote_not("nan");
}

TEST(json_has_raw_numbers_and_null_for_what_is_unknown)
{
	made_comparison_json();
	wrote("{\"format\":\"flametrap comparison\",\"version\":1,");
	wrote("\"before\":{\"label\":\"before.spool\",\"runs\":2}");
	wrote("\"before\":{\"runs\":[2000000000,2100000000],\"drift\":0,\"drift_chance\":null");
	wrote("{\"name\":\"fresh\",\"self\":{\"before\":0,\"after\":20000000,");
	wrote("\"relative\":null,\"relative_low\":null,\"relative_high\":null");
	wrote("\"notes\":[\n\"old \\u003cand\\u003e new are compared as one.\"]}\n");
	wrote_not("inf");
	wrote_not("nan");
}

TEST(large_values_are_told_in_a_larger_unit)
{
	made.counter.unit = "events";
	made_comparison_text((struct comparison_shown){ .columns = 80 });
	wrote("Values in million events per run");
	wrote("  2000.0   2160.0   +160.0");
	made.counter.changes.whole = made_comparison_value(1.5e12, 1.6e12, 1e9, true);
	made.counter.unit = "ns";
	made_comparison_text((struct comparison_shown){ .columns = 80 });
	wrote("Values in s per run");
	wrote("  1500.0   1600.0   +100.0");
}

TEST(a_full_device_is_reported)
{
	const struct comparison_shown shown = { 0 };

	assert_int_not_equal(comparison_write_json(&made.comparison, written_full()), 0);
	assert_int_not_equal(comparison_write_text(&made.comparison, &shown, written_full()), 0);
}

/* Returns the number of bars of a line that divide cells. */
static unsigned bars(const char *line)
{
	unsigned count = 0;

	for (const char *c = line; *c; c++)
		count += *c == '|' && (c == line || c[-1] != '\\');
	return count;
}

TEST(one_pace_is_said_below_the_tables)
{
	made_comparison_pace();
	made_comparison_markdown((struct comparison_shown){ 0 });
	wrote("; normalized it rose by 2.0 % (+1.5 to +2.5 %)**\n");
	wrote("<sub>Functions of task-clock are compared normalized: alike "
	      "in all of them, runs took up to 1.5 times as long as others. "
	      "What changed all functions alike shows in the whole only. "
	      "Method: ");
}

TEST(rows_of_markdown_have_as_many_cells_as_their_heading)
{
	char *rest, *line;
	unsigned expected = 0, rows = 0;

	made_comparison_markdown((struct comparison_shown){ .all = true });
	wrote("### A difference, with 99 % confidence\n");
	wrote("| `compute` | 500.00 ms | 660.00 ms | +32.0 % | +30.0 to +34.0 % | 30.56 % |\n");
	wrote("<code>a&#124;b&#96;c\xef\xbf\xbd\xef\xbf\xbd&#91;31m&#60;i&#62;&#64;user&#92;"
	      "&#124;</code>");
	wrote("- old &#60;and&#62; new are compared as one.\n");
	rest = written.text;
	while ((line = strsep(&rest, "\n"))) {
		if (line[0] != '|')
			expected = 0;
		else if (!expected)
			expected = bars(line);
		if (expected && bars(line) != expected)
			fail_msg("%u bars, not %u: %s", bars(line), expected, line);
		rows += expected > 0;
	}
	assert_int_equal(rows, 3 + 2 * 6);
}

TEST(long_tables_of_markdown_are_folded)
{
	struct changes_function many[20];

	for (size_t i = 0; i < 20; i++)
		many[i] = made.functions[0];
	made.counter.changes.functions = many;
	made.counter.changes.count = 20;
	made_comparison_markdown((struct comparison_shown){ 0 });
	wrote("<details><summary>Functions that changed</summary>\n\n| function");
	wrote("\n</details>\n");
	wrote_not("more:");
	made_comparison_markdown((struct comparison_shown){ .rows = 15 });
	wrote("\n\n5 more: `--rows 0` lists all\n");
}

/* GitHub looks for users and issues in what is left of references. */
TEST(notes_of_markdown_mention_nobody)
{
	char note[] = "@user.part and #181 are compared as one.";
	char *notes[] = { note };

	made.comparison.notes = notes;
	made.comparison.note_count = 1;
	made_comparison_markdown((struct comparison_shown){ 0 });
	wrote("- &#64;&#8203;user.part and &#35;&#8203;181 are compared as one.\n");
}

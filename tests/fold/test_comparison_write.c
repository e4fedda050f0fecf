/* A comparison is shown with its numbers, its doubts, and names that break no table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/compare/comparison.h"
#include "tests/support/unit.h"

#define HOSTILE "a|b`c\n\x1b[31m<i>@user\\|"

typedef int write_comparison(const struct comparison *comparison,
			     const struct comparison_shown *shown, FILE *file);

static int json(const struct comparison *comparison, const struct comparison_shown *shown,
		FILE *file)
{
	(void)shown;
	return comparison_write_json(comparison, file);
}

static struct changes_value value_of(double before, double after, double half, bool sure)
{
	double relative = before > 0 ? after / before - 1 : INFINITY;
	bool known = before > 0;

	return (struct changes_value){
		.change = { .mean = { before, after },
			    .change = after - before,
			    .low = after - before - half,
			    .high = after - before + half,
			    .relative = relative,
			    .relative_low = known ? relative - half / before : -INFINITY,
			    .relative_high = known ? relative + half / before : INFINITY,
			    .chance = sure ? .0001 : .4 },
		.share = { before / 2e9, after / 2.16e9 },
		.tested = true,
		.sure = sure,
	};
}

struct made {
	struct changes_function functions[4];
	struct comparison_counter counter;
	struct comparison_measure measure;
	struct comparison comparison;
	double values[2][2];
};

/* Two runs a side: 2 s before, 2.16 s after, all of it in compute(). */
static void make(struct made *made)
{
	static char note[] = "old <and> new are compared as one.", *notes[] = { note };

	*made = (struct made){
		.functions = { { .name = "compute",
				 .self = value_of(5e8, 6.6e8, 1e7, true),
				 .total = value_of(5e8, 6.6e8, 1e7, true) },
			       { .name = "steady",
				 .self = value_of(1e9, 1.001e9, 2e7, false),
				 .total = value_of(1e9, 1.001e9, 2e7, false) },
			       { .name = "fresh",
				 .self = value_of(0, 2e7, 1e6, true),
				 .total = value_of(0, 2e7, 1e6, true) },
			       { .name = HOSTILE,
				 .self = value_of(5e8, 4e8, 1e7, true),
				 .total = value_of(5e8, 4e8, 1e7, true) } },
		.counter = { .name = "task-clock", .unit = "ns" },
		.measure = { .name = "wall", .unit = "ns" },
		.values = { { 2e9, 2.1e9 }, { 2.2e9, 2.3e9 } },
	};
	made->counter.changes = (struct changes){
		.runs = { 2, 2 },
		.method = STATISTICS_WELCH,
		.alpha = .01,
		.has_intervals = true,
		.whole = value_of(2e9, 2.16e9, 2e7, true),
		.noise = value_of(1e7, 2e7, 3e7, false),
		.functions = made->functions,
		.count = 4,
	};
	made->measure.result = value_of(2.05e9, 2.25e9, 1e8, true);
	made->measure.value[0] = made->values[0];
	made->measure.value[1] = made->values[1];
	made->measure.drift[0].chance = made->measure.drift[1].chance = NAN;
	made->comparison = (struct comparison){
		.label = { "before.spool", "after.spool" },
		.runs = { 2, 2 },
		.alpha = .01,
		.measures = &made->measure,
		.measure_count = 1,
		.counters = &made->counter,
		.counter_count = 1,
		.notes = notes,
		.note_count = 1,
	};
}

static char *written(const struct made *made, write_comparison *write,
		     const struct comparison_shown *shown)
{
	char *text = NULL;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);

	assert_non_null(file);
	assert_int_equal(write(&made->comparison, shown, file), 0);
	fclose(file);
	assert_null(strchr(text, '\x1b'));
	return text;
}

static void holds(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in\n%s", part, text);
}

TEST(the_whole_comes_before_its_functions_with_interval_and_share)
{
	struct made made;
	char *text;
	const struct comparison_shown shown = { .columns = 160 };

	make(&made);
	text = written(&made, comparison_write_text, &shown);
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
	struct made made;
	char *text;

	make(&made);
	text = written(&made, comparison_write_text, &(struct comparison_shown){ 0 });
	assert_null(strstr(text, "steady"));
	holds(text, "  1 without a sure change: --all lists them too\n");
	free(text);
	text = written(&made, comparison_write_text, &(struct comparison_shown){ .all = true });
	holds(text, "   steady\n");
	free(text);
}

TEST(rows_are_limited_and_the_rest_is_counted)
{
	struct made made;
	char *text;

	make(&made);
	text = written(&made, comparison_write_text, &(struct comparison_shown){ .rows = 1 });
	holds(text, "* compute\n  2 more: --rows 0 lists all\n");
	assert_null(strstr(text, "fresh"));
	free(text);
}

TEST(lines_fit_a_terminal)
{
	static const unsigned widths[] = { 80, 160 };
	struct made made;

	make(&made);
	made.functions[0].name = "a::very<long>::name_of_a_function(that, takes, a, lot, of, "
				 "arguments, and, returns, something, that, nobody, needs, ever)";
	for (size_t i = 0; i < 2; i++) {
		const struct comparison_shown shown = { .columns = widths[i], .all = true };
		char *text = written(&made, comparison_write_text, &shown), *rest = text, *line;

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
	struct made made;
	char *text;

	make(&made);
	made.counter.changes.whole = value_of(2e9, 2.01e9, 2.6e7, false);
	made.measure.result.sure = false;
	for (size_t i = 0; i < 4; i++)
		made.functions[i].self.sure = made.functions[i].total.sure = false;
	text = written(&made, comparison_write_text, &(struct comparison_shown){ .columns = 80 });
	holds(text, "task-clock: no difference that 99 % confidence can tell");
	holds(text, "the smallest change that these runs could have shown: about 1.3 %");
	holds(text, "  no function changed for sure\n");
	assert_null(strchr(text, '*'));
	free(text);
	text = written(&made, comparison_write_markdown, &(struct comparison_shown){ 0 });
	holds(text, "### No difference that 99 % confidence can tell\n");
	free(text);
}

/* Half of what the absolute interval spans: that of the ratio is cut where nothing is left. */
TEST(what_could_have_been_seen_does_not_depend_on_what_was)
{
	struct made made;
	char *text;

	make(&made);
	made.counter.changes.whole = value_of(1e9, 8e8, 3e8, false);
	made.counter.changes.whole.change.relative_low = -.41;
	made.counter.changes.whole.change.relative_high = .16;
	text = written(&made, comparison_write_text, &(struct comparison_shown){ 0 });
	holds(text, "could have shown: about 30.0 %");
	free(text);
	made.counter.changes.whole = value_of(1e9, 8e8, 3e9, false);
	text = written(&made, comparison_write_text, &(struct comparison_shown){ 0 });
	holds(text, "these runs could hardly have shown a change");
	free(text);
}

/* Who reads the first sentence alone must not take it for the answer. */
TEST(no_difference_of_the_whole_tells_of_functions_that_changed)
{
	static write_comparison *const forms[] = { comparison_write_text,
						   comparison_write_markdown };
	struct made made;

	for (size_t form = 0; form < 2; form++) {
		char *text;

		make(&made);
		made.counter.changes.whole = value_of(2e9, 2.01e9, 2.6e7, false);
		for (size_t i = 1; i < 4; i++)
			made.functions[i].self.sure = made.functions[i].total.sure = false;
		text = written(&made, forms[form], &(struct comparison_shown){ 0 });
		holds(text, "about 1.3 %); one function surely changed");
		free(text);
		made.functions[2].total.sure = true;
		text = written(&made, forms[form], &(struct comparison_shown){ 0 });
		holds(text, "about 1.3 %); 2 functions surely changed");
		free(text);
		made.counter.changes.whole.sure = true;
		text = written(&made, forms[form], &(struct comparison_shown){ 0 });
		assert_null(strstr(text, "surely changed"));
		free(text);
	}
}

TEST(one_run_a_side_says_what_it_does_not_know)
{
	struct made made;
	char *text;

	make(&made);
	made.comparison.runs[0] = made.comparison.runs[1] = 1;
	text = written(&made, comparison_write_text, &(struct comparison_shown){ 0 });
	holds(text, "One run a side: variation between runs is unknown, only sampling is "
		    "considered.\nTake several runs a side (flametrap ab).\n");
	free(text);
	text = written(&made, comparison_write_markdown, &(struct comparison_shown){ 0 });
	holds(text, "variation between runs is unknown");
	free(text);
}

TEST(without_intervals_nothing_is_marked)
{
	struct made made;
	char *text;

	make(&made);
	made.counter.changes.has_intervals = false;
	made.counter.changes.whole = value_of(2e9, 2.16e9, NAN, false);
	for (size_t i = 0; i < 4; i++) {
		made.functions[i].self = value_of(5e8, 6e8, NAN, false);
		made.functions[i].total = value_of(5e8, 6e8, NAN, false);
	}
	made.measure.result.sure = false;
	text = written(&made, comparison_write_text, &(struct comparison_shown){ 0 });
	holds(text, "task-clock: +8.0 %; whether that is chance is not known\n");
	holds(text, "compute\n");
	assert_null(strchr(text, '*'));
	assert_null(strstr(text, "nan"));
	free(text);
}

TEST(json_has_raw_numbers_and_null_for_what_is_unknown)
{
	struct made made;
	char *text;

	make(&made);
	text = written(&made, json, NULL);
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

/* Returns the number of bars of a line that divide cells. */
static unsigned bars(const char *line)
{
	unsigned count = 0;

	for (const char *c = line; *c; c++)
		count += *c == '|' && (c == line || c[-1] != '\\');
	return count;
}

TEST(rows_of_markdown_have_as_many_cells_as_their_heading)
{
	struct made made;
	char *text, *rest, *line;
	unsigned expected = 0, rows = 0;

	make(&made);
	text = rest = written(&made, comparison_write_markdown,
			      &(struct comparison_shown){ .all = true });
	holds(text, "### A difference, with 99 % confidence\n");
	holds(text,
	      "| `compute` | 500.00 ms | 660.00 ms | +32.0 % | +30.0 to +34.0 % | 30.56 % |\n");
	holds(text, "<code>a&#124;b&#96;c\xef\xbf\xbd\xef\xbf\xbd&#91;31m&#60;i&#62;&#64;user&#92;"
		    "&#124;</code>");
	holds(text, "- old &#60;and&#62; new are compared as one.\n");
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
	free(text);
}

TEST(long_tables_of_markdown_are_folded)
{
	struct changes_function many[20];
	struct made made;
	char *text;

	make(&made);
	for (size_t i = 0; i < 20; i++)
		many[i] = made.functions[0];
	made.counter.changes.functions = many;
	made.counter.changes.count = 20;
	text = written(&made, comparison_write_markdown, &(struct comparison_shown){ 0 });
	holds(text, "<details><summary>Functions that changed</summary>\n\n| function");
	holds(text, "\n</details>\n");
	assert_null(strstr(text, "more:"));
	free(text);
	text = written(&made, comparison_write_markdown, &(struct comparison_shown){ .rows = 15 });
	holds(text, "\n\n5 more: `--rows 0` lists all\n");
	free(text);
}

/* GitHub looks for users and issues in what is left of references. */
TEST(notes_of_markdown_mention_nobody)
{
	char note[] = "@user.part and #181 are compared as one.";
	char *notes[] = { note };
	struct made made;
	char *text;

	make(&made);
	made.comparison.notes = notes;
	made.comparison.note_count = 1;
	text = written(&made, comparison_write_markdown, &(struct comparison_shown){ 0 });
	holds(text, "- &#64;&#8203;user.part and &#35;&#8203;181 are compared as one.\n");
	free(text);
}

TEST(large_values_are_told_in_a_larger_unit)
{
	struct made made;
	char *text;

	make(&made);
	made.counter.unit = "events";
	text = written(&made, comparison_write_text, &(struct comparison_shown){ .columns = 80 });
	holds(text, "Values in million events per run");
	holds(text, "  2000.0   2160.0   +160.0");
	free(text);
	made.counter.changes.whole = value_of(1.5e12, 1.6e12, 1e9, true);
	made.counter.unit = "ns";
	text = written(&made, comparison_write_text, &(struct comparison_shown){ .columns = 80 });
	holds(text, "Values in s per run");
	holds(text, "  1500.0   1600.0   +100.0");
	free(text);
}

TEST(a_full_device_is_reported)
{
	FILE *full = fopen("/dev/full", "w");
	struct made made;

	if (!full)
		skip();
	setvbuf(full, NULL, _IONBF, 0);
	make(&made);
	assert_int_not_equal(comparison_write_json(&made.comparison, full), 0);
	assert_int_not_equal(comparison_write_text(&made.comparison,
						   &(struct comparison_shown){ 0 }, full),
			     0);
	fclose(full);
}

/* A comparison in Markdown: names and notes end no cell, hide nothing and mention nobody. */
#include "tests/support/made_comparison.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

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

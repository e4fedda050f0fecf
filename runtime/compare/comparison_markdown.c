/*
 * A comparison for a pull request, as GitHub renders Markdown: the verdict, a table of measures,
 * and the functions that changed for significant.  Names may hold any bytes; none of them ends a
 * cell, a span or the table, or mentions a user.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "runtime/profile/base/safe_text.h"
#include "runtime/compare/comparison.h"
#include "runtime/compare/comparison_words.h"

#define NAME_CELLS	 100
#define ROWS_SHORT	 12 /* longer tables are folded */
#define ZERO_WIDTH_SPACE "&#8203;"

struct page {
	const struct comparison *comparison;
	const struct comparison_shown *shown;
	FILE *file;
};

/* Write text of which Markdown and HTML interpret nothing: every mark of punctuation that they
 * could is a character reference.  Outside of code GitHub looks for users and issues in what is
 * left when references are resolved (cmark-gfm, issue 181), so there their marks stand apart from
 * what follows: `prose`. */
static void write_escaped(FILE *file, const char *text, size_t bytes, bool prose)
{
	static const char plain[] = " .,:;/()=+%-'";

	while (bytes) {
		size_t length = 0;

		while (length < bytes &&
		       (!ispunct((unsigned char)text[length]) || strchr(plain, text[length])))
			length++;
		safe_text_plain(file, text, length);
		text += length;
		bytes -= length;
		if (bytes) {
			fprintf(file, "&#%d;%s", (unsigned char)*text,
				prose && (*text == '@' || *text == '#') ? ZERO_WIDTH_SPACE : "");
			text++;
			bytes--;
		}
	}
}

static void write_text(FILE *file, const char *text)
{
	write_escaped(file, text, strlen(text), true);
}

/* Returns whether a name in a code span is that name, in a table too. */
static bool is_simple(const char *name)
{
	size_t length = strlen(name);

	for (const char *c = name; *c; c++)
		if (!isprint((unsigned char)*c) || strchr("`|\\", *c))
			return false;
	return length && length <= NAME_CELLS && name[0] != ' ' && name[length - 1] != ' ';
}

static void write_name(FILE *file, const char *name)
{
	size_t bytes = strlen(name), fits = safe_text_fit(name, bytes, NAME_CELLS);

	if (is_simple(name)) {
		fprintf(file, "`%s`", name);
		return;
	}
	fputs("<code>", file);
	write_escaped(file, name, fits, false);
	fputs(fits < bytes ? "..</code>" : "</code>", file);
}

static void write_number(FILE *file, const char *text, const char *unit)
{
	fprintf(file, " %s%s%s |", text, *unit ? " " : "", unit);
}

static void write_numbers(FILE *file, const struct changes_value *value, const char *unit,
			  bool means)
{
	const struct statistics_change *change = &value->change;
	struct comparison_scale scale = comparison_scale(unit, comparison_larger(change), means);
	char text[COMPARISON_NUMBER_BYTES], interval[COMPARISON_INTERVAL_BYTES];

	for (int side = 0; side < 2; side++) {
		comparison_value(text, &scale, change->mean[side], false);
		write_number(file, text, scale.cell);
	}
	comparison_percent(text, change->relative);
	write_number(file, text, isfinite(change->relative) ? "%" : "");
	comparison_interval(interval, change);
	write_number(file, interval, strcmp(interval, "-") ? "%" : "");
}

static void write_heading(const struct page *page, const char *name, bool share)
{
	char confidence[COMPARISON_NUMBER_BYTES];

	comparison_confidence(confidence, page->comparison->alpha);
	fprintf(page->file, "\n| %s | before | after | change | %s interval |%s\n", name,
		confidence, share ? " share |" : " |");
	fprintf(page->file, "|:--|--:|--:|--:|--:|%s\n", share ? "--:|" : ":--|");
}

static void write_measures(const struct page *page)
{
	const struct comparison *comparison = page->comparison;

	if (!comparison->measure_count)
		return;
	write_heading(page, "of a run", false);
	for (size_t i = 0; i < comparison->measure_count; i++) {
		const struct comparison_measure *measure = &comparison->measures[i];

		fputs("| ", page->file);
		write_name(page->file, measure->name);
		fputs(" |", page->file);
		write_numbers(page->file, &measure->result, measure->unit, true);
		fprintf(page->file, " %s |\n",
			measure->context	      ? "context"
			: measure->result.significant ? "significant"
						      : "");
	}
}

static void write_rows(const struct page *page, const struct comparison_counter *counter,
		       const struct comparison_rows *rows, size_t count)
{
	size_t all = comparison_rows_count(rows, page->shown);
	bool means = counter->changes.runs[0] > 1 || counter->changes.runs[1] > 1;

	write_heading(page, rows->total ? "function, with all it called" : "function, itself",
		      true);
	for (size_t i = 0; i < count; i++) {
		const struct changes_value *value = comparison_row(rows, i);

		fputs("| ", page->file);
		write_name(page->file, rows->changes.functions[i].name);
		fputs(" |", page->file);
		write_numbers(page->file, value, counter->unit, means);
		fprintf(page->file, " %.2f %% |\n",
			isfinite(value->share[1]) ? 100 * value->share[1] : 0);
	}
	if (count < all)
		fprintf(page->file, "\n%zu more: `--rows 0` lists all\n", all - count);
}

static int write_functions(const struct page *page, const struct comparison_counter *counter)
{
	struct comparison_rows rows[2] = { 0 };
	size_t count[2] = { 0, 0 };
	int err = 0;

	for (int total = 0; !err && total < 2; total++) {
		err = comparison_rows(&counter->changes, total, &rows[total]);
		if (!err)
			count[total] = comparison_rows_shown(&rows[total], page->shown);
	}
	bool folded = !err && count[0] + count[1] > ROWS_SHORT;

	if (folded)
		fputs("\n<details><summary>Functions that changed</summary>\n", page->file);
	for (int total = 0; !err && total < 2; total++)
		if (count[total])
			write_rows(page, counter, &rows[total], count[total]);
	if (folded)
		fputs("\n</details>\n", page->file);
	comparison_rows_free(&rows[0]);
	comparison_rows_free(&rows[1]);
	return err;
}

static int write_counter(const struct page *page, const struct comparison_counter *counter)
{
	char text[COMPARISON_SENTENCE_BYTES];
	const char *beside;
	int err;

	comparison_counter_sentence(text, counter, &counter->changes.whole);
	fputs("\n**", page->file);
	write_text(page->file, text);
	fputs("**\n", page->file);
	err = write_functions(page, counter);
	if (err || !counter->changes.has_intervals)
		return err;
	fputs("\n<sub>", page->file);
	beside = comparison_normalized(text, counter);
	if (beside) {
		write_text(page->file, text);
		fprintf(page->file, ". %s. ", beside);
	}
	comparison_method(text, &counter->changes);
	fprintf(page->file, "%s. %s.</sub>\n", text, COMPARISON_BOUND);
	return 0;
}

static void write_notes(const struct page *page)
{
	const struct comparison *comparison = page->comparison;
	const char *caution = comparison_caution(
		statistics_method(comparison->runs[0], comparison->runs[1], comparison->paired));

	if (caution)
		fprintf(page->file, "\n%s\n", caution);
	if (comparison->note_count)
		putc('\n', page->file);
	for (size_t i = 0; i < comparison->note_count; i++) {
		fputs("- ", page->file);
		write_text(page->file, comparison->notes[i]);
		putc('\n', page->file);
	}
}

static void write_sides(const struct page *page)
{
	const struct comparison *comparison = page->comparison;

	for (int side = 0; side < 2; side++) {
		size_t runs = comparison->runs[side];

		write_name(page->file, comparison->label[side]);
		fprintf(page->file, " (%zu run%s)%s", runs, runs == 1 ? "" : "s",
			side ? "\n" : " \xe2\x86\x92 ");
	}
}

static void write_verdict(const struct page *page)
{
	const struct comparison *comparison = page->comparison;
	char confidence[COMPARISON_NUMBER_BYTES];
	bool judged = comparison->measure_count > 0;

	for (size_t i = 0; i < comparison->counter_count; i++)
		judged |= comparison->counters[i].changes.has_intervals;
	comparison_confidence(confidence, comparison->alpha);
	if (comparison_differs(comparison))
		fprintf(page->file, "### A difference, with %s confidence\n\n", confidence);
	else if (judged)
		fprintf(page->file, "### No difference that %s confidence can tell\n\n",
			confidence);
	else
		fputs("### A comparison without intervals\n\n", page->file);
}

int comparison_write_markdown(const struct comparison *comparison,
			      const struct comparison_shown *shown, FILE *file)
{
	const struct page page = { .comparison = comparison, .shown = shown, .file = file };
	int err = 0;

	write_verdict(&page);
	write_sides(&page);
	write_measures(&page);
	for (size_t i = 0; !err && i < comparison->counter_count; i++)
		err = write_counter(&page, &comparison->counters[i]);
	write_notes(&page);
	return err ? err : ferror(file) ? -EIO : 0;
}

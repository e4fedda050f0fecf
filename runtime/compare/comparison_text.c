/*
 * A comparison as tables for a terminal.  All tables have the same columns; the last one is the
 * name, which takes what is left of the line.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "runtime/profile/base/safe_text.h"
#include "runtime/compare/comparison.h"
#include "runtime/compare/comparison_words.h"

#define NAME_COLUMN	 61 /* where names start */
#define NAME_COLUMN_WIDE 92
#define NAME_LEAST	 16
#define COLUMNS_WIDE	 (NAME_COLUMN_WIDE + 32)

struct sheet {
	const struct comparison *comparison;
	const struct comparison_shown *shown;
	FILE *file;
	bool wide;
	bool marked; /* a mark was written */
};

static void write_name(const struct sheet *sheet, const char *name)
{
	size_t column = sheet->wide ? NAME_COLUMN_WIDE : NAME_COLUMN;
	size_t columns = sheet->shown->columns;
	size_t cells = !columns			       ? SIZE_MAX
		       : columns > column + NAME_LEAST ? columns - column
						       : NAME_LEAST;

	safe_text_terminal(sheet->file, name, cells);
}

static void write_line(const struct sheet *sheet, const char *text)
{
	safe_text_terminal(sheet->file, text, SIZE_MAX);
}

/* The column before the name has units, or shares: after's, in a wide table behind before's. */
static void write_heading(const struct sheet *sheet, bool shares, const char *name)
{
	char confidence[COMPARISON_NUMBER_BYTES], title[COMPARISON_NUMBER_BYTES + 16];

	comparison_confidence(confidence, sheet->comparison->alpha);
	snprintf(title, sizeof(title), "%s interval", confidence);
	fprintf(sheet->file, "\n%8s%9s%9s", "before", "after", "change");
	if (sheet->wide)
		fprintf(sheet->file, "%22s", title);
	fprintf(sheet->file, "%8s%17s", "%", sheet->wide ? "interval in %" : title);
	if (sheet->wide)
		fprintf(sheet->file, "%8s%8s", shares ? "before%" : "", shares ? "after%" : "unit");
	else
		fprintf(sheet->file, "%7s", shares ? "share%" : "unit");
	fprintf(sheet->file, "   %s\n", name);
}

static void write_numbers(const struct sheet *sheet, const struct statistics_change *change,
			  const struct comparison_scale *scale)
{
	char text[COMPARISON_NUMBER_BYTES], other[COMPARISON_NUMBER_BYTES];
	char interval[COMPARISON_INTERVAL_BYTES];

	for (int side = 0; side < 2; side++) {
		comparison_value(text, scale, change->mean[side], false);
		fprintf(sheet->file, side ? " %8s" : "%8s", text);
	}
	comparison_value(text, scale, change->change, true);
	fprintf(sheet->file, " %8s", text);
	if (sheet->wide) {
		comparison_value(text, scale, change->low, true);
		comparison_value(other, scale, change->high, true);
		if (isfinite(change->low))
			snprintf(interval, sizeof(interval), "%s to %s", text, other);
		else
			snprintf(interval, sizeof(interval), "-");
		fprintf(sheet->file, " %21s", interval);
	}
	comparison_percent(text, change->relative);
	comparison_interval(interval, change);
	fprintf(sheet->file, " %7s %16s", text, interval);
}

static void write_mark(struct sheet *sheet, bool significant)
{
	fputs(significant ? " * " : "   ", sheet->file);
	sheet->marked |= significant;
}

static void write_measure(struct sheet *sheet, const struct comparison_measure *measure)
{
	const struct statistics_change *change = &measure->result.change;
	const char *unit = measure->unit;
	struct comparison_scale scale = comparison_scale(unit, comparison_larger(change), true);

	write_numbers(sheet, change, &scale);
	fprintf(sheet->file, "%*s", sheet->wide ? 16 : 7, scale.cell);
	write_mark(sheet, measure->result.significant);
	write_name(sheet, measure->name);
	fputs(measure->context ? " (context)\n" : "\n", sheet->file);
}

static void write_measures(struct sheet *sheet)
{
	const struct comparison *comparison = sheet->comparison;

	if (!comparison->measure_count)
		return;
	write_heading(sheet, false, "of a run");
	for (size_t i = 0; i < comparison->measure_count; i++)
		write_measure(sheet, &comparison->measures[i]);
}

static void write_share(const struct sheet *sheet, double share)
{
	int width = sheet->wide ? 8 : 7;

	if (isfinite(share))
		fprintf(sheet->file, "%*.2f", width, 100 * share);
	else
		fprintf(sheet->file, "%*s", width, "-");
}

static void write_row(struct sheet *sheet, const struct changes_value *value, const char *name,
		      const struct comparison_scale *scale)
{
	write_numbers(sheet, &value->change, scale);
	if (sheet->wide)
		write_share(sheet, value->share[0]);
	write_share(sheet, value->share[1]);
	write_mark(sheet, value->significant);
	write_name(sheet, name);
	putc('\n', sheet->file);
}

static void write_rest(const struct sheet *sheet, const struct comparison_rows *rows, size_t shown)
{
	bool all = sheet->shown->all || !rows->changes.has_intervals;
	size_t count = comparison_rows_count(rows, sheet->shown);

	if (!rows->changed)
		fputs("  no function changed\n", sheet->file);
	else if (!rows->significant && !all)
		fputs("  no function changed significantly\n", sheet->file);
	if (shown < count)
		fprintf(sheet->file, "  %zu more: --rows 0 lists all\n", count - shown);
	if (!all && rows->changed > rows->significant)
		fprintf(sheet->file, "  %zu without a significant change: --all lists them too\n",
			rows->changed - rows->significant);
}

static int write_functions(struct sheet *sheet, const struct changes *changes, bool total,
			   const struct comparison_scale *scale)
{
	struct comparison_rows rows;
	size_t shown;
	int err = comparison_rows(changes, total, &rows);

	if (err)
		return err;
	shown = comparison_rows_shown(&rows, sheet->shown);
	write_heading(sheet, true, total ? "with all it called" : "function, itself");
	for (size_t i = 0; i < shown; i++)
		write_row(sheet, comparison_row(&rows, i), rows.changes.functions[i].name, scale);
	write_rest(sheet, &rows, shown);
	comparison_rows_free(&rows);
	return 0;
}

static bool has_noise(const struct changes *changes)
{
	return comparison_larger(&changes->noise.change) > 0;
}

static void write_method(struct sheet *sheet, const struct comparison_counter *counter,
			 const struct comparison_scale *scale)
{
	const char *unit = counter->unit;
	bool named = !strcmp(unit, "ns") || !strcmp(unit, "bytes");
	const char *beside;
	char text[COMPARISON_SENTENCE_BYTES];

	fprintf(sheet->file, "\nValues in %s%s", scale->word, *scale->word && !named ? " " : "");
	write_line(sheet, named ? "" : *unit ? unit : "units of the files");
	fputs(" per run, shares in % of the whole", sheet->file);
	if (sheet->marked)
		fputs("; *: a significant change", sheet->file);
	fputs(".\n", sheet->file);
	if (has_noise(&counter->changes))
		fputs("Noise of the machine (interrupts, preemption, sampling) takes no part.\n",
		      sheet->file);
	if (!counter->changes.has_intervals)
		return;
	beside = comparison_normalized(text, counter);
	if (beside) {
		write_line(sheet, text);
		fprintf(sheet->file, ".\n%s.\n", beside);
	}
	comparison_method(text, &counter->changes);
	fprintf(sheet->file, "%s.\n%s.\n", text, COMPARISON_BOUND);
}

static int write_counter(struct sheet *sheet, const struct comparison_counter *counter)
{
	const struct changes *changes = &counter->changes;
	struct changes_value whole = changes->whole;
	bool means = changes->runs[0] > 1 || changes->runs[1] > 1;
	struct comparison_scale scale =
		comparison_scale(counter->unit, comparison_larger(&whole.change), means);
	char text[COMPARISON_SENTENCE_BYTES];
	int err;

	sheet->marked = false;
	comparison_counter_sentence(text, counter, &whole);
	putc('\n', sheet->file);
	write_line(sheet, text);
	putc('\n', sheet->file);
	write_heading(sheet, true, "the whole");
	write_row(sheet, &whole, "all functions", &scale);
	if (changes->speed.of_run)
		write_row(sheet, &changes->normalized, "all functions, normalized", &scale);
	if (has_noise(changes))
		write_row(sheet, &changes->noise, "noise of the machine", &scale);
	err = write_functions(sheet, changes, false, &scale);
	if (!err)
		err = write_functions(sheet, changes, true, &scale);
	write_method(sheet, counter, &scale);
	return err;
}

static void write_sides(const struct sheet *sheet)
{
	static const char *const names[2] = { "before", "after " };

	for (int side = 0; side < 2; side++) {
		size_t runs = sheet->comparison->runs[side];

		fprintf(sheet->file, "%s  ", names[side]);
		write_line(sheet, sheet->comparison->label[side]);
		fprintf(sheet->file, ": %zu run%s\n", runs, runs == 1 ? "" : "s");
	}
}

int comparison_write_text(const struct comparison *comparison, const struct comparison_shown *shown,
			  FILE *file)
{
	struct sheet sheet = {
		.comparison = comparison,
		.shown = shown,
		.file = file,
		.wide = !shown->columns || shown->columns >= COLUMNS_WIDE,
	};
	const char *caution = comparison_caution(
		statistics_method(comparison->runs[0], comparison->runs[1], comparison->paired));
	int err = 0;

	write_sides(&sheet);
	write_measures(&sheet);
	for (size_t i = 0; !err && i < comparison->counter_count; i++)
		err = write_counter(&sheet, &comparison->counters[i]);
	if (caution)
		fprintf(file, "\n%s\n", caution);
	for (size_t i = 0; i < comparison->note_count; i++) {
		fputs(i || caution ? "" : "\n", file);
		write_line(&sheet, comparison->notes[i]);
		putc('\n', file);
	}
	return err ? err : ferror(file) ? -EIO : 0;
}

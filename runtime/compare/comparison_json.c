/*
 * A comparison as one JSON object, for programs: docs/recipes.md describes it.  Numbers are in
 * base units and not rounded; what is not known, and infinity, is null.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "runtime/profile/base/safe_text.h"
#include "runtime/compare/comparison.h"

#define VERSION 1

static void write_text(FILE *file, const char *text)
{
	safe_text_json(file, text ? text : "", text ? strlen(text) : 0);
}

static void write_number(FILE *file, double number)
{
	if (isfinite(number))
		fprintf(file, "%.15g", number);
	else
		fputs("null", file);
}

static void write_named(FILE *file, const char *key, double number)
{
	fprintf(file, ",\"%s\":", key);
	write_number(file, number);
}

static void write_flag(FILE *file, const char *key, bool flag)
{
	fprintf(file, ",\"%s\":%s", key, flag ? "true" : "false");
}

static void write_change(FILE *file, const char *key, const struct statistics_change *change)
{
	fprintf(file, ",\"%s\":{\"before\":", key);
	write_number(file, change->mean[0]);
	write_named(file, "after", change->mean[1]);
	write_named(file, "change", change->change);
	write_named(file, "low", change->low);
	write_named(file, "high", change->high);
	write_named(file, "relative", change->relative);
	write_named(file, "relative_low", change->relative_low);
	write_named(file, "relative_high", change->relative_high);
	write_named(file, "chance", change->chance);
}

static void write_value(FILE *file, const char *key, const struct changes_value *value)
{
	write_change(file, key, &value->change);
	write_named(file, "share_before", value->share[0]);
	write_named(file, "share_after", value->share[1]);
	write_flag(file, "tested", value->tested);
	write_flag(file, "sure", value->sure);
	putc('}', file);
}

/* A side's values by run, and what was noticed about them. */
static void write_side(FILE *file, const char *key, const struct comparison *comparison,
		       const struct comparison_measure *measure, int side)
{
	const struct statistics_trend *drift = &measure->drift[side];

	fprintf(file, ",\"%s\":{\"runs\":[", key);
	for (size_t i = 0; measure->value[side] && i < comparison->runs[side]; i++) {
		fputs(i ? "," : "", file);
		write_number(file, measure->value[side][i]);
	}
	putc(']', file);
	write_named(file, "drift", drift->relative);
	write_named(file, "drift_chance", drift->chance);
	fprintf(file, ",\"outliers\":%ld}", measure->outliers[side]);
}

static void write_measure(FILE *file, const struct comparison *comparison,
			  const struct comparison_measure *measure)
{
	fputs("\n{\"name\":", file);
	write_text(file, measure->name);
	fputs(",\"unit\":", file);
	write_text(file, measure->unit);
	write_flag(file, "context", measure->context);
	write_side(file, "before", comparison, measure, 0);
	write_side(file, "after", comparison, measure, 1);
	write_value(file, "result", &measure->result);
	putc('}', file);
}

/* How the pace varied that the values of the functions are divided by; null if they are not. */
static void write_pace(FILE *file, const struct changes *changes)
{
	write_flag(file, "alike", changes->pace.alike);
	if (!changes->pace.of_run) {
		fputs(",\"pace\":null", file);
		return;
	}
	fputs(",\"pace\":{\"slowest\":", file);
	write_number(file, changes->pace.slowest);
	write_change(file, "shift", &changes->pace.shift);
	putc('}', file);
	write_value(file, "whole", &changes->at_pace);
	putc('}', file);
}

static void write_functions(FILE *file, const struct changes *changes)
{
	fputs(",\"functions\":[", file);
	for (size_t i = 0; i < changes->count; i++) {
		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", file);
		write_text(file, changes->functions[i].name);
		write_value(file, "self", &changes->functions[i].self);
		write_value(file, "total", &changes->functions[i].total);
		putc('}', file);
	}
	putc(']', file);
}

static void write_counter(FILE *file, const struct comparison_counter *counter)
{
	const struct changes *changes = &counter->changes;

	fputs("\n{\"name\":", file);
	write_text(file, counter->name);
	fputs(",\"unit\":", file);
	write_text(file, counter->unit);
	fputs(",\"method\":", file);
	write_text(file, statistics_method_name(changes->method));
	write_flag(file, "has_intervals", changes->has_intervals);
	write_value(file, "whole", &changes->whole);
	write_value(file, "noise", &changes->noise);
	write_pace(file, changes);
	write_functions(file, changes);
	putc('}', file);
}

static void write_label(FILE *file, const char *key, const struct comparison *comparison, int side)
{
	fprintf(file, ",\"%s\":{\"label\":", key);
	write_text(file, comparison->label[side]);
	fprintf(file, ",\"runs\":%zu}", comparison->runs[side]);
}

int comparison_write_json(const struct comparison *comparison, FILE *file)
{
	fprintf(file, "{\"format\":\"flametrap comparison\",\"version\":%d", VERSION);
	write_label(file, "before", comparison, 0);
	write_label(file, "after", comparison, 1);
	write_named(file, "confidence", 1 - comparison->alpha);
	write_flag(file, "paired", comparison->paired);
	write_flag(file, "differs", comparison_differs(comparison));
	fputs(",\"measures\":[", file);
	for (size_t i = 0; i < comparison->measure_count; i++) {
		fputs(i ? "," : "", file);
		write_measure(file, comparison, &comparison->measures[i]);
	}
	fputs("],\"counters\":[", file);
	for (size_t i = 0; i < comparison->counter_count; i++) {
		fputs(i ? "," : "", file);
		write_counter(file, &comparison->counters[i]);
	}
	fputs("],\"notes\":[", file);
	for (size_t i = 0; i < comparison->note_count; i++) {
		fputs(i ? ",\n" : "\n", file);
		write_text(file, comparison->notes[i]);
	}
	fputs("]}\n", file);
	return ferror(file) ? -EIO : 0;
}

/*
 * A comparison as one JSON object, for programs: docs/comparing.md describes it.  Numbers are in
 * base units and not rounded; what is not known, and infinity, is null.
 */
#include <errno.h>

#include "runtime/profile/base/json.h"
#include "runtime/compare/comparison.h"

#define VERSION 1
#define DIGITS	15

static void write_text(struct json *json, const char *key, const char *text)
{
	json_text(json, key, text ? text : "");
}

static void write_number(struct json *json, const char *key, double number)
{
	json_real(json, key, number, DIGITS);
}

/* The object stays open. */
static void begin_change(struct json *json, const char *key, const struct statistics_change *change)
{
	json_object(json, key);
	write_number(json, "before", change->mean[0]);
	write_number(json, "after", change->mean[1]);
	write_number(json, "change", change->change);
	write_number(json, "low", change->low);
	write_number(json, "high", change->high);
	write_number(json, "relative", change->relative);
	write_number(json, "relative_low", change->relative_low);
	write_number(json, "relative_high", change->relative_high);
	write_number(json, "chance", change->chance);
}

static void write_value(struct json *json, const char *key, const struct changes_value *value)
{
	begin_change(json, key, &value->change);
	write_number(json, "share_before", value->share[0]);
	write_number(json, "share_after", value->share[1]);
	json_bool(json, "tested", value->tested);
	json_bool(json, "sure", value->sure);
	json_end(json, "}");
}

/* A side's values by run, and what was noticed about them. */
static void write_side(struct json *json, const char *key, const struct comparison *comparison,
		       const struct comparison_measure *measure, int side)
{
	const struct statistics_trend *drift = &measure->drift[side];

	json_object(json, key);
	json_array(json, "runs");
	for (size_t i = 0; measure->value[side] && i < comparison->runs[side]; i++)
		write_number(json, NULL, measure->value[side][i]);
	json_end(json, "]");
	write_number(json, "drift", drift->relative);
	write_number(json, "drift_chance", drift->chance);
	json_int(json, "outliers", measure->outliers[side]);
	json_end(json, "}");
}

static void write_measure(struct json *json, const struct comparison *comparison,
			  const struct comparison_measure *measure)
{
	json_row(json);
	write_text(json, "name", measure->name);
	write_text(json, "unit", measure->unit);
	json_bool(json, "context", measure->context);
	write_side(json, "before", comparison, measure, 0);
	write_side(json, "after", comparison, measure, 1);
	write_value(json, "result", &measure->result);
	json_end(json, "}");
}

/* How the pace varied that the values of the functions are divided by; null if they are not. */
static void write_pace(struct json *json, const struct changes *changes)
{
	json_bool(json, "alike", changes->pace.alike);
	if (!changes->pace.of_run) {
		json_null(json, "pace");
		return;
	}
	json_object(json, "pace");
	write_number(json, "slowest", changes->pace.slowest);
	begin_change(json, "shift", &changes->pace.shift);
	json_end(json, "}");
	write_value(json, "whole", &changes->at_pace);
	json_end(json, "}");
}

static void write_functions(struct json *json, const struct changes *changes)
{
	json_array(json, "functions");
	for (size_t i = 0; i < changes->count; i++) {
		json_row(json);
		write_text(json, "name", changes->functions[i].name);
		write_value(json, "self", &changes->functions[i].self);
		write_value(json, "total", &changes->functions[i].total);
		json_end(json, "}");
	}
	json_end(json, "]");
}

static void write_counter(struct json *json, const struct comparison_counter *counter)
{
	const struct changes *changes = &counter->changes;

	json_row(json);
	write_text(json, "name", counter->name);
	write_text(json, "unit", counter->unit);
	json_text(json, "method", statistics_method_name(changes->method));
	json_bool(json, "has_intervals", changes->has_intervals);
	write_value(json, "whole", &changes->whole);
	write_value(json, "noise", &changes->noise);
	write_pace(json, changes);
	write_functions(json, changes);
	json_end(json, "}");
}

static void write_label(struct json *json, const char *key, const struct comparison *comparison,
			int side)
{
	json_object(json, key);
	write_text(json, "label", comparison->label[side]);
	json_uint(json, "runs", comparison->runs[side]);
	json_end(json, "}");
}

int comparison_write_json(const struct comparison *comparison, FILE *file)
{
	struct json json = { .file = file };

	json_object(&json, NULL);
	json_text(&json, "format", "flametrap comparison");
	json_uint(&json, "version", VERSION);
	write_label(&json, "before", comparison, 0);
	write_label(&json, "after", comparison, 1);
	write_number(&json, "confidence", 1 - comparison->alpha);
	json_bool(&json, "paired", comparison->paired);
	json_bool(&json, "differs", comparison_differs(comparison));
	json_array(&json, "measures");
	for (size_t i = 0; i < comparison->measure_count; i++)
		write_measure(&json, comparison, &comparison->measures[i]);
	json_end(&json, "]");
	json_array(&json, "counters");
	for (size_t i = 0; i < comparison->counter_count; i++)
		write_counter(&json, &comparison->counters[i]);
	json_end(&json, "]");
	json_array(&json, "notes");
	for (size_t i = 0; i < comparison->note_count; i++) {
		json_line(&json);
		write_text(&json, NULL, comparison->notes[i]);
	}
	json_end(&json, "]}");
	putc('\n', file);
	return ferror(file) ? -EIO : 0;
}

/*
 * A comparison as one JSON object, for programs: docs/comparing.md describes it.  Numbers are in
 * base units and not rounded; what is not known, and infinity, is null.
 */
#include <errno.h>

#include "runtime/profile/base/json.h"
#include "runtime/compare/comparison.h"

#define VERSION 1
#define DIGITS	15

/* The object stays open. */
static void begin_change(struct json *json, const char *key, const struct statistics_change *change)
{
	json_object(json, key);
	json_members(json,
		     "before:%.15g after:%.15g change:%.15g low:%.15g high:%.15g relative:%.15g "
		     "relative_low:%.15g relative_high:%.15g chance:%.15g",
		     change->mean[0], change->mean[1], change->change, change->low, change->high,
		     change->relative, change->relative_low, change->relative_high, change->chance);
}

static void write_value(struct json *json, const char *key, const struct changes_value *value)
{
	begin_change(json, key, &value->change);
	json_members(json, "share_before:%.15g share_after:%.15g tested:%hhd sure:%hhd",
		     value->share[0], value->share[1], value->tested, value->significant);
	json_end(json, "}");
}

static void write_side(struct json *json, const char *key, const struct comparison *comparison,
		       const struct comparison_measure *measure, int side)
{
	const struct statistics_trend *drift = &measure->drift[side];

	json_object(json, key);
	json_array(json, "runs");
	for (size_t i = 0; measure->value[side] && i < comparison->runs[side]; i++)
		json_real(json, NULL, measure->value[side][i], DIGITS);
	json_end(json, "]");
	json_members(json, "drift:%.15g drift_chance:%.15g outliers:%ld", drift->relative,
		     drift->chance, measure->outliers[side]);
	json_end(json, "}");
}

static void write_measure(struct json *json, const struct comparison *comparison,
			  const struct comparison_measure *measure)
{
	json_row(json);
	json_members(json, "name:%s unit:%s context:%hhd", measure->name, measure->unit,
		     measure->context);
	write_side(json, "before", comparison, measure, 0);
	write_side(json, "after", comparison, measure, 1);
	write_value(json, "result", &measure->result);
	json_end(json, "}");
}

/* How the speed factor varied that functions are divided by; null if they are not. */
static void write_normalized(struct json *json, const struct changes *changes)
{
	json_bool(json, "alike", changes->speed.alike);
	if (!changes->speed.of_run) {
		json_null(json, "pace");
		return;
	}
	json_object(json, "pace");
	json_real(json, "slowest", changes->speed.slowest, DIGITS);
	begin_change(json, "shift", &changes->speed.shift);
	json_end(json, "}");
	write_value(json, "whole", &changes->normalized);
	json_end(json, "}");
}

static void write_functions(struct json *json, const struct changes *changes)
{
	json_array(json, "functions");
	for (size_t i = 0; i < changes->count; i++) {
		json_row(json);
		json_text(json, "name", changes->functions[i].name);
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
	json_members(json, "name:%s unit:%s method:%s has_intervals:%hhd", counter->name,
		     counter->unit, statistics_method_name(changes->method),
		     changes->has_intervals);
	write_value(json, "whole", &changes->whole);
	write_value(json, "noise", &changes->noise);
	write_normalized(json, changes);
	write_functions(json, changes);
	json_end(json, "}");
}

int comparison_write_json(const struct comparison *comparison, FILE *file)
{
	struct json json = { .file = file };

	json_object(&json, NULL);
	json_members(&json, "format:%s version:%d", "flametrap comparison", VERSION);
	for (int side = 0; side < 2; side++)
		json_record(&json, side ? "after" : "before", "label:%s runs:%zu",
			    comparison->label[side], comparison->runs[side]);
	json_members(&json, "confidence:%.15g paired:%hhd differs:%hhd", 1 - comparison->alpha,
		     comparison->paired, comparison_differs(comparison));
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
		json_text(&json, NULL, comparison->notes[i]);
	}
	json_end(&json, "]}");
	putc('\n', file);
	return ferror(file) ? -EIO : 0;
}

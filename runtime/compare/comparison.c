/*
 * What a comparison holds, and which of its measures can be relied on.  Its writers and its limits
 * have files of their own.
 */
#include "runtime/compare/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/maths.h"
#include "runtime/compare/runs.h"

#define MATCHES_SHOWN 8

struct comparison_measure *comparison_add_measure(struct comparison *comparison, const char *name,
						  const char *unit)
{
	struct comparison_measure *measure;

	if (!grow(&comparison->measures, comparison->measure_count, sizeof(*comparison->measures)))
		return NULL;
	measure = &comparison->measures[comparison->measure_count++];
	*measure = (struct comparison_measure){ .unit = unit ? unit : "" };
	snprintf(measure->name, sizeof(measure->name), "%s", name);
	return measure;
}

struct comparison_counter *comparison_add_counter(struct comparison *comparison, const char *name,
						  const char *unit)
{
	struct comparison_counter *counter;

	if (!grow(&comparison->counters, comparison->counter_count, sizeof(*comparison->counters)))
		return NULL;
	counter = &comparison->counters[comparison->counter_count++];
	*counter = (struct comparison_counter){ .unit = unit ? unit : "" };
	snprintf(counter->name, sizeof(counter->name), "%s", name);
	return counter;
}

struct changes_options comparison_options(const struct comparison *comparison)
{
	return (struct changes_options){
		.alpha = comparison->alpha,
		.paired = comparison->paired,
		.least_share = CHANGES_LEAST,
	};
}

int comparison_add_runs(struct comparison *comparison, const char *name, const char *unit,
			const struct runs *runs)
{
	const struct changes_options options = comparison_options(comparison);
	struct changes changes = { 0 };
	struct comparison_counter *counter;
	int err = changes_make(runs, &options, &changes);

	counter = err ? NULL : comparison_add_counter(comparison, name, unit);
	if (!counter) {
		changes_free(&changes);
		return err ? err : -ENOMEM;
	}
	counter->changes = changes;
	counter->runs = runs;
	return 0;
}

int comparison_note(struct comparison *comparison, const char *format, ...)
{
	va_list list;
	char *note;
	int length;

	if (!grow(&comparison->notes, comparison->note_count, sizeof(*comparison->notes)))
		return -ENOMEM;
	va_start(list, format);
	length = vasprintf(&note, format, list);
	va_end(list);
	if (length < 0)
		return -ENOMEM;
	comparison->notes[comparison->note_count++] = note;
	return 0;
}

int comparison_note_matches(struct comparison *comparison, const struct runs *runs)
{
	const char *old, *new_name;
	size_t count = 0;
	int err = 0;

	for (; !err && runs_matched(runs, count, &old, &new_name); count++)
		if (count < MATCHES_SHOWN)
			err = comparison_note(comparison, "%s and %s are compared as one.", old,
					      new_name);
	if (!err && count > MATCHES_SHOWN)
		err = comparison_note(
			comparison, "%zu more names were matched likewise (--rename names others).",
			count - MATCHES_SHOWN);
	return err;
}

/* What cannot be computed is NaN. */
static int judge(const struct comparison *comparison, struct comparison_measure *measure)
{
	const double per_sample[2] = { measure->per_sample, measure->per_sample };
	struct statistics_group group[2];
	enum statistics_method method =
		statistics_method(comparison->runs[0], comparison->runs[1], comparison->paired);

	for (int side = 0; side < 2; side++) {
		const double *value = measure->value[side];
		size_t count = comparison->runs[side];

		group[side] = (struct statistics_group){ value, count, 0 };
		measure->outliers[side] = statistics_outliers(value, count);
		if (measure->outliers[side] < 0)
			return -ENOMEM;
		if (statistics_drift(value, count, &measure->drift[side]))
			measure->drift[side] = (struct statistics_trend){ NAN, NAN };
	}
	statistics_sample(group, per_sample, 0);
	statistics_compare(group, method, comparison->alpha, &measure->result.change);
	measure->result.tested = !measure->context;
	return 0;
}

static int mark(struct comparison *comparison)
{
	size_t count = comparison->measure_count;
	struct changes_value **values = calloc(count + 1, sizeof(void *));
	int err = -ENOMEM;

	for (size_t i = 0; values && i < count; i++)
		values[i] = &comparison->measures[i].result;
	if (values)
		err = changes_mark(values, count, comparison->alpha);
	free(values);
	return err;
}

static int note_missing(struct comparison *comparison)
{
	char note[256];

	if (maths_has_distributions())
		return 0;
	snprintf(note, sizeof(note), "%s: changes have no intervals, and none is significant.",
		 maths_no_distributions());
	for (size_t i = 0; i < comparison->note_count; i++)
		if (!strcmp(comparison->notes[i], note))
			return 0;
	return comparison_note(comparison, "%s", note);
}

int comparison_judge(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->measure_count; i++)
		if (judge(comparison, &comparison->measures[i]))
			return -ENOMEM;
	return note_missing(comparison) ? -ENOMEM : mark(comparison);
}

bool comparison_differs(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->measure_count; i++)
		if (comparison->measures[i].result.significant)
			return true;
	for (size_t i = 0; i < comparison->counter_count; i++) {
		const struct changes *changes = &comparison->counters[i].changes;

		if (changes->whole.significant)
			return true;
		for (size_t k = 0; k < changes->count; k++)
			if (changes->functions[k].self.significant ||
			    changes->functions[k].total.significant)
				return true;
	}
	return false;
}

void comparison_free(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->measure_count; i++)
		for (int side = 0; side < 2; side++)
			free(comparison->measures[i].value[side]);
	for (size_t i = 0; i < comparison->counter_count; i++)
		changes_free(&comparison->counters[i].changes);
	for (size_t i = 0; i < comparison->note_count; i++)
		free(comparison->notes[i]);
	free(comparison->measures);
	free(comparison->counters);
	free(comparison->notes);
	*comparison = (struct comparison){ 0 };
}

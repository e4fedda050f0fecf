/*
 * Measures of the whole run, exact totals of counters, and for each counter its functions.
 */
#include "runtime/command/ab/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/compare/changes.h"
#include "runtime/compare/runs.h"

struct about_measure {
	const char *name;
	const char *unit;
	bool context;
};

static const struct about_measure measures[VARIANT_MEASURES] = {
	[VARIANT_WALL] = { "wall", "ns", false },
	[VARIANT_CPU] = { "cpu", "ns", false },
	[VARIANT_USER] = { "user", "ns", false },
	[VARIANT_SYS] = { "sys", "ns", false },
	[VARIANT_MAX_RSS] = { "max-rss", "bytes", false },
	[VARIANT_PAGE_FAULTS] = { "page-faults", "", false },
	[VARIANT_CONTEXT_SWITCHES] = { "context-switches", "", false },
	[VARIANT_OTHER_LOAD] = { "load of other processes", "ns", true },
};

const struct comparison_measure *answer_measure(const struct comparison *comparison,
						const char *name)
{
	for (size_t i = 0; i < comparison->measure_count; i++)
		if (strcmp(comparison->measures[i].name, name) == 0)
			return &comparison->measures[i];
	return NULL;
}

static int add_measure(struct comparison *comparison, const struct about_measure *about,
		       double *const value[RUNS_SIDES])
{
	struct comparison_measure *measure =
		comparison_add_measure(comparison, about->name, about->unit);

	if (!measure)
		return -ENOMEM;
	measure->context = about->context;
	for (int which = 0; which < RUNS_SIDES; which++) {
		size_t bytes = comparison->runs[which] * sizeof(double);

		measure->value[which] = malloc(bytes);
		if (!measure->value[which])
			return -ENOMEM;
		memcpy(measure->value[which], value[which], bytes);
	}
	return 0;
}

static int add_measures(struct comparison *comparison, const struct samples *tally)
{
	int err = 0;

	for (int i = 0; !err && i < VARIANT_MEASURES; i++) {
		double *const value[RUNS_SIDES] = { tally->side[0].value[i],
						    tally->side[1].value[i] };

		if (i == VARIANT_MAX_RSS && (tally->side[0].hiding || tally->side[1].hiding))
			continue;
		err = add_measure(comparison, &measures[i], value);
	}
	return err;
}

/* The total of a clock is CPU time, which is there already, and so are faults and switches. */
static int add_total(struct comparison *comparison, const struct samples_counter *counter)
{
	const struct about_measure about = { counter->name, "", false };

	if (!counter->counted || strcmp(counter->unit, "ns") == 0 ||
	    answer_measure(comparison, counter->name))
		return 0;
	return add_measure(comparison, &about, counter->total);
}

/* What could not be sampled is not nothing: a comparison with it would say that all of it
 * is gone.
 */
static bool is_sampled(const struct samples *tally)
{
	return !samples_is_blind(&tally->side[RUNS_BEFORE]) &&
	       !samples_is_blind(&tally->side[RUNS_AFTER]);
}

static int add_counter(struct comparison *comparison, const struct samples_counter *counter)
{
	const struct changes_options options = comparison_options(comparison);
	struct changes changes = { 0 };
	struct comparison_counter *added;
	int err = runs_settle(counter->runs);

	if (!err)
		err = changes_make(counter->runs, &options, &changes);
	added = err ? NULL : comparison_add_counter(comparison, counter->name, counter->unit);
	if (added)
		added->changes = changes;
	else
		changes_free(&changes);
	return added || err == -ENODATA ? 0 : -ENOMEM;
}

int answer_make(struct comparison *comparison, const struct samples *tally,
		const struct variant *sides, double alpha)
{
	int err;

	*comparison = (struct comparison){ .paired = true, .alpha = alpha };
	for (int which = 0; which < RUNS_SIDES; which++) {
		comparison->label[which] = sides[which].label;
		comparison->runs[which] = tally->side[which].runs;
	}
	err = add_measures(comparison, tally);
	for (size_t i = 0; !err && i < tally->counter_count; i++)
		err = add_total(comparison, &tally->counter[i]);
	for (size_t i = 0; !err && is_sampled(tally) && i < tally->counter_count; i++)
		err = add_counter(comparison, &tally->counter[i]);
	return err ? err : comparison_judge(comparison);
}

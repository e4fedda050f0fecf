/*
 * Measures of the whole run, exact totals of counters, and for each counter its functions.  Notes
 * name a cause only where it is large enough to matter: each is one more sentence to read.
 */
#include "runtime/command/ab/ab.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/command/base/kernel_access.h"

#define GOVERNOR     "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
#define DRIFT_CHANCE 0.01
#define DRIFT_LEAST  0.02 /* of the mean, from the first run to the last */
#define LOAD_LEAST   0.1  /* of one processor */
#define LOST_LEAST   0.01 /* of the samples */
#define NEGLIGIBLE   0.01

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

static const struct comparison_measure *find_measure(const struct comparison *comparison,
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

static int add_measures(struct comparison *comparison, const struct samples *samples)
{
	int err = 0;

	for (int i = 0; !err && i < VARIANT_MEASURES; i++) {
		double *const value[RUNS_SIDES] = { samples->variant[0].value[i],
						    samples->variant[1].value[i] };

		if (i == VARIANT_MAX_RSS &&
		    (samples->variant[0].hiding || samples->variant[1].hiding))
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
	    find_measure(comparison, counter->name))
		return 0;
	return add_measure(comparison, &about, counter->total);
}

/* What could not be sampled is not nothing: a comparison with it would say that all of it
 * is gone.
 */
static bool is_sampled(const struct samples *samples)
{
	return !samples_is_blind(&samples->variant[RUNS_BEFORE]) &&
	       !samples_is_blind(&samples->variant[RUNS_AFTER]);
}

static int add_counter(struct comparison *comparison, const struct samples_counter *counter)
{
	int err = runs_settle(counter->runs);

	if (!err)
		err = comparison_add_runs(comparison, counter->name, counter->unit, counter->runs);
	return err == -ENODATA ? 0 : err;
}

int answer_make(struct comparison *comparison, const struct samples *samples,
		const struct variant *variants, double alpha)
{
	int err;

	*comparison = (struct comparison){ .paired = true, .alpha = alpha };
	for (int which = 0; which < RUNS_SIDES; which++) {
		comparison->label[which] = variants[which].label;
		comparison->runs[which] = samples->variant[which].runs;
	}
	err = add_measures(comparison, samples);
	for (size_t i = 0; !err && i < samples->counter_count; i++)
		err = add_total(comparison, &samples->counter[i]);
	for (size_t i = 0; !err && is_sampled(samples) && i < samples->counter_count; i++)
		err = add_counter(comparison, &samples->counter[i]);
	return err ? err : comparison_judge(comparison);
}

static const char *const names[RUNS_SIDES] = { "the first command", "the second command" };

static int note_drift(struct comparison *comparison, const struct comparison_measure *wall)
{
	int err = 0;

	for (int which = 0; !err && which < RUNS_SIDES; which++) {
		double relative = wall->drift[which].relative;

		/* false where the chance is not known */
		if (wall->drift[which].chance < DRIFT_CHANCE && fabs(relative) >= DRIFT_LEAST)
			err = comparison_note(comparison,
					      "The wall time of %s drifted by %+.1f %% from its "
					      "first run to its last: the runs are not alike.",
					      names[which], 100 * relative);
	}
	return err;
}

static int note_outliers(struct comparison *comparison, const struct comparison_measure *wall)
{
	long count = wall->outliers[0] + wall->outliers[1];

	if (!count)
		return 0;
	return comparison_note(comparison,
			       "The wall time of %ld of %zu runs lies far from the others.", count,
			       comparison->runs[0] + comparison->runs[1]);
}

/* All that the processors did during the runs, beyond the CPU time of the commands. */
static int note_load(struct comparison *comparison, const struct samples *samples)
{
	double busy = 0, wall = 0;

	for (int which = 0; which < RUNS_SIDES; which++)
		for (size_t i = 0; i < samples->variant[which].runs; i++) {
			busy += samples->variant[which].value[VARIANT_OTHER_LOAD][i];
			wall += samples->variant[which].value[VARIANT_WALL][i];
		}
	if (!(busy >= LOAD_LEAST * wall))
		return 0;
	return comparison_note(comparison,
			       "Other processes kept %.1f processors busy during the runs: on an "
			       "idle machine they vary less.",
			       busy / wall);
}

static int note_governor(struct comparison *comparison)
{
	char governor[64];

	if (!kernel_limits_line(GOVERNOR, governor, sizeof(governor)) ||
	    strcmp(governor, "performance") == 0)
		return 0;
	return comparison_note(comparison,
			       "The processor's frequency governor is %s: with performance, runs "
			       "vary less.",
			       governor);
}

static int note_variant(struct comparison *comparison, const struct samples_variant *variant,
			const char *name)
{
	int err = 0;

	if (samples_is_blind(variant))
		return comparison_note(comparison,
				       "Nothing of %s was sampled (flametrap doctor and flametrap "
				       "run say why), so only measures of its runs are compared.",
				       name);
	if (variant->unprofiled)
		err = comparison_note(comparison,
				      "In %zu of %zu runs of %s only programs that it started were "
				      "sampled, if any (flametrap run says why).",
				      variant->unprofiled, variant->runs, name);
	if (!err && (double)variant->lost > LOST_LEAST * (double)(variant->samples + variant->lost))
		err = comparison_note(comparison, "%.1f %% of the samples of %s were lost.",
				      100 * (double)variant->lost /
					      (double)(variant->samples + variant->lost),
				      name);
	if (!err && variant->running)
		err = comparison_note(
			comparison,
			"In %zu of %zu runs of %s a process went on after the command "
			"had ended: what it did then takes no part.",
			variant->running, variant->runs, name);
	return err;
}

static bool is_sure(const struct comparison *comparison, const char *name)
{
	const struct comparison_measure *measure = find_measure(comparison, name);

	return measure && measure->result.significant &&
	       fabs(measure->result.change.relative) >= NEGLIGIBLE;
}

static bool has_counter(const struct comparison *comparison, const char *name)
{
	size_t length = strlen(name);

	/* "page-faults:u" too */
	for (size_t i = 0; i < comparison->counter_count; i++)
		if (strncmp(comparison->counters[i].name, name, length) == 0 &&
		    (!comparison->counters[i].name[length] ||
		     comparison->counters[i].name[length] == ':'))
			return true;
	return false;
}

/* What would explain a difference that the counters cannot. */
static int note_advice(struct comparison *comparison)
{
	int err = 0;

	if (!comparison->counter_count)
		return 0;
	if (is_sure(comparison, "wall") && !is_sure(comparison, "cpu") &&
	    !has_counter(comparison, "off-cpu"))
		err = comparison_note(comparison,
				      "The wall time differs, and not the CPU time: "
				      "-e task-clock,off-cpu shows where the commands wait.");
	if (!err && is_sure(comparison, "page-faults") && !has_counter(comparison, "page-faults"))
		err = comparison_note(comparison,
				      "The page faults differ: -e task-clock,page-faults shows "
				      "where they happen.");
	return err;
}

/* The alpha of the answer is the part of its analysis. */
static int note_result(struct comparison *comparison, const struct ab_options *options)
{
	const char *found = comparison_differs(comparison) ? "" : "Nothing differs significantly. ";
	double alpha = options->comparing.alpha;
	size_t runs = comparison->runs[0];
	char made[64];

	if (runs == options->runs)
		snprintf(made, sizeof(made), "All %zu runs of each command were made", runs);
	else
		snprintf(made, sizeof(made), "The runs ended after %zu of up to %u of each command",
			 runs, options->runs);
	if (!(comparison->alpha < alpha))
		return comparison_note(comparison, "%s%s.", found, made);
	return comparison_note(comparison,
			       "%s%s. They were looked at before: with %g %% at this look, all "
			       "looks together keep %g %%.",
			       found, made, 100 * (1 - comparison->alpha), 100 * (1 - alpha));
}

/* For a limit on it, the user needs to know why it is missing. */
static int note_memory(struct comparison *comparison, const struct samples *samples)
{
	if (!samples->variant[0].hiding && !samples->variant[1].hiding)
		return 0;
	return comparison_note(comparison, "max-rss is not known: a command needs less memory than "
					   "flametrap, which starts it.");
}

/* Names are the same in all counters, so one of them is enough. */
static int note_matches(struct comparison *comparison, const struct samples *samples)
{
	for (size_t i = 0; i < samples->counter_count; i++) {
		const struct runs *runs = samples->counter[i].runs;

		if (runs_count(runs, RUNS_BEFORE) && runs_count(runs, RUNS_AFTER))
			return comparison_note_matches(comparison, runs);
	}
	return 0;
}

int answer_note(struct comparison *comparison, const struct samples *samples,
		const struct ab_options *options)
{
	const struct comparison_measure *wall = find_measure(comparison, "wall");
	int err = note_result(comparison, options);

	if (!err)
		err = note_matches(comparison, samples);
	if (!err)
		err = note_drift(comparison, wall);
	if (!err)
		err = note_outliers(comparison, wall);
	if (!err)
		err = note_load(comparison, samples);
	if (!err)
		err = note_governor(comparison);
	if (!err)
		err = note_memory(comparison, samples);
	for (int which = 0; !err && which < RUNS_SIDES; which++)
		err = note_variant(comparison, &samples->variant[which], names[which]);
	return err ? err : note_advice(comparison);
}

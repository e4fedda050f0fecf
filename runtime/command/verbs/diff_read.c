/*
 * Reads the runs that are compared.  The first run says which counters there are; a counter that a
 * run lacks takes no part.  What belongs to a profile is copied, and the profile closed, before the
 * next run is read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/command/base/status_line.h"
#include "runtime/collect/sources.h"
#include "runtime/command/verbs/diff.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/analysis/selection.h"
#include "runtime/output/report/report.h"
#include "runtime/spool/spool_settings.h"
#include "runtime/profile/symbols/machine.h"

/* One run while it is read. */
struct reading_run {
	const char *path; /* the first operand, for messages */
	int side;
	size_t number;
	const struct input *input;
	uint64_t whole; /* of all counters that it shares with the runs before it */
	bool shares;	/* there is such a counter */
};

static double *new_values(const struct diff *diff, int side)
{
	return calloc(diff->side[side].runs + 1, sizeof(double));
}

static int add_counter(struct diff *diff, const char *name)
{
	const struct runs_options options = {
		.renames = diff->comparing.renames,
		.rename_count = diff->comparing.rename_count,
		.outer = input_options_outer(&diff->choice.reading),
		.origins = report_by_origin(diff->choice.reading.by),
		.modules = diff->choice.reading.by == REPORT_BY_MODULE,
	};
	struct diff_counter *counter;

	if (!grow(&diff->counters, diff->counter_count, sizeof(*diff->counters)))
		return -ENOMEM;
	counter = &diff->counters[diff->counter_count++];
	*counter = (struct diff_counter){ .runs = runs_new(&options) };
	snprintf(counter->name, sizeof(counter->name), "%s", name);
	for (int side = 0; side < 2; side++)
		counter->total[side] = new_values(diff, side);
	return counter->runs && counter->total[0] && counter->total[1] ? 0 : -ENOMEM;
}

static int learn_counter(struct diff *diff, const struct spool_counter *about)
{
	const char *unit = diff->choice.graph.unit;
	struct diff_counter *counter;
	int err = add_counter(diff, about->name);

	if (err)
		return err;
	counter = &diff->counters[diff->counter_count - 1];
	counter->unit = unit ? unit : report_unit(about, diff->choice.reading.weight);
	counter->counts_ns = about->unit == SPOOL_UNIT_NS;
	counter->period = about->period;
	counter->frequency_hz = about->frequency_hz;
	return 0;
}

static int learn(struct diff *diff, const struct input *input)
{
	const char *unit = diff->choice.graph.unit;
	int only, err = 0;

	diff->folded = input->folded_count > 0;
	diff->measured = !diff->folded;
	if (diff->folded) {
		err = add_counter(diff, "");
		if (!err)
			diff->counters[0].unit = unit ? unit : "samples";
		return status_line_error(NULL, err);
	}
	only = input_options_counter(&diff->choice.reading, input);
	if (only < 0)
		return only;
	for (unsigned i = 0; !err && i < profile_counter_count(input->profile); i++)
		if (!diff->choice.reading.counter || i == (unsigned)only)
			err = learn_counter(diff, profile_counter(input->profile, i));
	return status_line_error(NULL, err);
}

/* Waits are as long as they are, whatever the period of their counter.  Several runs tell how much
 * a number varies that is no estimate; of one run each it stays Poisson's. */
static double event_of(const struct diff *diff, const struct profile *profile, unsigned index)
{
	struct profile_total total = profile_total(profile, index);
	double per_sample = profile_per_sample(profile, index);

	if (per_sample > 0 || diff->side[0].runs > 1 || diff->side[1].runs > 1)
		return per_sample;
	if (!(profile_counter(profile, index)->flags & SPOOL_COUNTER_OFF_CPU))
		return (double)profile_period(profile, index);
	return total.samples ? (double)total.events / (double)total.samples : 0;
}

/* Returns how many samples one of those stands for that the stacks were made of: the mean, where a
 * part of the time, or labels, are taken from a timeline that was thinned. */
static double joined_of(const struct profile *profile)
{
	const struct profile_options *options = &profile_merge(profile)->options;
	const uint64_t *count = profile_summary(profile)->count;
	double samples = (double)count[SPOOL_COUNT_SAMPLES];
	double joined = (double)count[SPOOL_COUNT_LOG_THINNED];
	struct profile_window window;
	bool part = profile_window(profile, &window) || options->label || options->only_key;

	return part && samples > joined ? samples / (samples - joined) : 1;
}

/* A folded file counts samples, unless the user says something else. */
static double sample_of(const struct diff_counter *counter, const struct diff *diff,
			const struct profile *profile, unsigned index)
{
	if (diff->folded)
		return strcmp(counter->unit, "samples") ? 0 : 1;
	return joined_of(profile) * (spool_settings_weigh_events(profile_counter(profile, index),
								 diff->choice.reading.weight)
					     ? event_of(diff, profile, index)
					     : 1);
}

/* Samples of different periods are different things; their events are not. */
static int check_counter(const struct diff *diff, const struct diff_counter *counter,
			 const struct spool_counter *about, const char *path)
{
	enum settings_weight weight = diff->choice.reading.weight;
	const char *unit =
		diff->choice.graph.unit ? diff->choice.graph.unit : report_unit(about, weight);

	if (strcmp(unit, counter->unit) != 0)
		return fail(-EINVAL, "%s: %s is in %s, and in %s in the runs before it", path,
			    about->name, unit, counter->unit);
	if (spool_settings_weigh_events(about, weight) ||
	    (about->period == counter->period && about->frequency_hz == counter->frequency_hz))
		return 0;
	return fail(-EINVAL,
		    "%s: %s was sampled at another rate than in the runs before it, so numbers of "
		    "samples cannot be compared: --weight events compares what they stand for",
		    path, about->name);
}

static void take_total(const struct diff *diff, struct diff_counter *counter,
		       const struct profile *profile, unsigned index, const struct reading_run *run)
{
	struct profile_total total = profile_total(profile, index);
	double event = event_of(diff, profile, index);

	counter->total[run->side][run->number] =
		(double)(total.counted ? report_counted(&total) : total.events);
	if (!total.counted && event > counter->per_sample)
		counter->per_sample = event;
}

static int take_counter(struct diff *diff, struct diff_counter *counter, struct reading_run *run)
{
	const struct profile *profile = run->input->profile;
	int index = diff->folded ? 0 : input_counter(run->input, counter->name);
	struct frame_tree *tree;
	int err = 0;

	if (index < 0 && diff->choice.reading.counter)
		return input_options_counter(&diff->choice.reading, run->input);
	counter->missing |= index < 0;
	if (counter->missing)
		return 0;
	if (!diff->folded)
		err = check_counter(diff, counter, profile_counter(profile, (unsigned)index),
				    run->path);
	if (err)
		return err;
	err = input_tree((struct input *)run->input, (unsigned)index, diff->choice.reading.weight,
			 &tree);
	if (err)
		return err;
	run->whole += frame_tree_root(tree)->total;
	run->shares = true;
	if (!diff->folded)
		take_total(diff, counter, profile, (unsigned)index, run);
	return status_line_error(NULL,
				 runs_add(counter->runs, (enum runs_side)run->side, tree,
					  sample_of(counter, diff, profile, (unsigned)index)));
}

/* The CPU time of a process that still runs is not known. */
static void take_times(struct diff *diff, const struct reading_run *run)
{
	const struct profile_summary *summary = profile_summary(run->input->profile);
	struct profile_window window;

	diff->wall_ns[run->side][run->number] = (double)summary->wall_ns;
	diff->cpu_ns[run->side][run->number] = (double)summary->cpu_ns;
	if (summary->running || profile_window(run->input->profile, &window))
		diff->measured = false;
}

static int check_kind(const struct diff *diff, const struct reading_run *run)
{
	bool folded = run->input->folded_count > 0;

	if (folded && run->input->profile)
		return fail(-EINVAL, "%s: spools and folded files cannot be one run", run->path);
	if (folded == diff->folded)
		return 0;
	return fail(-EINVAL,
		    "%s is a %s, and the runs before it are not: compare folded files with folded "
		    "files, and spools with spools (flametrap fold makes a folded file of a spool)",
		    run->path, folded ? "folded file" : "spool");
}

static bool has_counter(const struct diff *diff, const char *name)
{
	for (size_t i = 0; i < diff->counter_count; i++)
		if (!strcmp(diff->counters[i].name, name))
			return true;
	return false;
}

static int take_others(struct diff *diff, const struct input *input)
{
	int err = 0;

	if (diff->folded || diff->choice.reading.counter)
		return 0;
	for (unsigned i = 0; !err && i < profile_counter_count(input->profile); i++) {
		const char *name = profile_counter(input->profile, i)->name;

		if (has_counter(diff, name))
			continue;
		err = add_counter(diff, name);
		diff->counters[diff->counter_count - 1].missing = true;
	}
	return status_line_error(NULL, err);
}

/* A run without samples is one that failed, but one without those that are asked for is as good as
 * any other: leaving such runs out would make rare things look frequent. */
static bool selects(const struct input_options *reading)
{
	return selection_filters(reading->selection) || reading->only || reading->counter;
}

static int take_run(struct diff *diff, struct reading_run *run)
{
	struct diff_side *side = &diff->side[run->side];
	int err = diff->counters ? 0 : learn(diff, run->input);

	if (!err)
		err = check_kind(diff, run);
	for (size_t i = 0; !err && i < diff->counter_count; i++)
		err = take_counter(diff, &diff->counters[i], run);
	if (!err)
		err = take_others(diff, run->input);
	if (err)
		return err;
	if (run->shares && !run->whole && !selects(&diff->choice.reading))
		return fail(-ENODATA, "%s: no samples, so there is nothing to compare", run->path);
	diff->whole |= run->whole > 0;
	if (diff->folded)
		return 0;
	take_times(diff, run);
	if (!notes_window(run->input->profile, side->part, sizeof(side->part)))
		side->part[0] = '\0';
	return 0;
}

static int read_run(struct diff *diff, struct reading_run *run, char **operands, size_t count)
{
	struct input_options reading = diff->choice.reading;
	struct profile_options options;
	struct sources sources;
	int err;

	if (run->side == RUNS_BEFORE && window_is_set(&diff->window))
		reading.window = diff->window;
	options = input_options_profile(&reading, status_line_text);
	options.machine = diff->machine;
	err = sources_open(&sources, &reading, &options, operands, count);
	run->input = &sources.input;
	if (!err)
		err = take_run(diff, run);
	diff->choice.skipped += sources.input.skipped;
	run->input = NULL;
	sources_close(&sources);
	return err;
}

static int read_side(struct diff *diff, int number)
{
	struct diff_side *side = &diff->side[number];
	char **operands = side->path;
	int err = 0;

	for (size_t i = 0; !err && i < side->runs; i++) {
		struct reading_run run = { .path = operands[0], .side = number, .number = i };

		err = read_run(diff, &run, operands, side->size[i]);
		operands += side->size[i];
	}
	return err;
}

static int prepare(struct diff *diff)
{
	int err = 0;

	for (int side = 0; !err && side < 2; side++) {
		struct diff_side *one = &diff->side[side];

		one->size = calloc(one->count + 1, sizeof(*one->size));
		err = one->size ? run_groups_order(one->path, one->count, one->size, &one->runs)
				: -ENOMEM;
		diff->wall_ns[side] = new_values(diff, side);
		diff->cpu_ns[side] = new_values(diff, side);
		if (!diff->wall_ns[side] || !diff->cpu_ns[side])
			err = -ENOMEM;
	}
	diff->machine = machine_new(status_line_text);
	return status_line_error(NULL, err || diff->machine ? err : -ENOMEM);
}

/* A counter that a run lacks takes no part, unless there is no other. */
static int check_rest(const struct diff *diff)
{
	size_t left = 0;

	for (size_t i = 0; i < diff->counter_count; i++)
		left += !diff->counters[i].missing;
	if (!left)
		return fail(-ENOENT, "the runs have no counter in common");
	if (diff->whole)
		return 0;
	return fail(-ENODATA, "no run has such samples, so there is nothing to compare");
}

int diff_read(struct diff *diff)
{
	int err = prepare(diff);

	interrupt_expect(NULL);
	progress_start();
	for (int side = 0; !err && side < 2; side++)
		err = read_side(diff, side);
	if (!err)
		err = check_rest(diff);
	for (size_t i = 0; !err && i < diff->counter_count; i++)
		if (!diff->counters[i].missing)
			err = status_line_error(NULL, runs_settle(diff->counters[i].runs));
	progress_print();
	return err;
}

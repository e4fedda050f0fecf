/*
 * The whole is compared first, then the pace of the runs is found, and then the values of one
 * function after the other are gathered from all runs, divided by the pace, and compared.
 */
#include "runtime/compare/changes.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/maths.h"
#include "runtime/compare/changes_table.h"
#include "runtime/compare/runs.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/symbols/frame_kind.h"

/* The comparison while it is made. */
struct making {
	const struct runs *runs;
	const struct changes_options *options;
	struct changes *changes;
	struct changes_table table;
	double per_sample[RUNS_SIDES];
	double whole;	/* mean of all runs */
	double sampled; /* the same with noise: all that the samples of a run are taken from */
};

/* Returns the mean of all runs of both sides together: it does not favour a change. */
static double common_mean(const struct changes *changes, const double mean[2])
{
	double before = (double)changes->runs[0], after = (double)changes->runs[1];

	return (before * mean[0] + after * mean[1]) / (before + after);
}

/* Compare the values gathered in the groups. */
static void compare(const struct making *making, struct statistics_change *change)
{
	const struct changes *changes = making->changes;
	struct statistics_group group[2];

	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		group[side] = (struct statistics_group){ making->table.group[side],
							 changes->runs[side], 0 };
	statistics_sample(group, making->per_sample, making->sampled);
	statistics_compare(group, changes->method, changes->alpha, change);
}

static void fill_shares(struct changes_value *value, const double whole[2])
{
	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		value->share[side] = whole[side] > 0 ? value->change.mean[side] / whole[side] : 0;
}

static double whole_of(const struct making *making, enum runs_side side, size_t run)
{
	return (double)frame_tree_root(runs_tree(making->runs, side, run))->total;
}

static double mean_sampled(const struct making *making)
{
	const size_t *runs = making->changes->runs;
	double sum = 0;

	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		for (size_t i = 0; i < runs[side]; i++)
			sum += whole_of(making, side, i) + runs_noise(making->runs, side, i);
	return sum / (double)(runs[0] + runs[1]);
}

static void gather_whole(struct making *making)
{
	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		for (size_t i = 0; i < making->changes->runs[side]; i++)
			making->table.group[side][i] = whole_of(making, side, i);
}

/* The whole comes first: the functions are shares of it. */
static int compare_whole(struct making *making)
{
	struct changes *changes = making->changes;
	struct changes_value *whole = &changes->whole, *noise = &changes->noise;

	making->sampled = mean_sampled(making);
	gather_whole(making);
	compare(making, &whole->change);
	making->whole = common_mean(changes, whole->change.mean);
	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		for (size_t i = 0; i < changes->runs[side]; i++)
			making->table.group[side][i] = runs_noise(making->runs, side, i);
	compare(making, &noise->change);
	if (!(making->whole > 0))
		return -ENODATA;
	fill_shares(whole, whole->change.mean);
	fill_shares(noise, whole->change.mean);
	changes->has_intervals = maths_has_distributions();
	whole->tested = true;
	whole->sure = whole->change.chance < changes->alpha;
	return 0;
}

/* Gather the values of a function from all runs. */
static void gather(struct making *making, size_t function, enum changes_kind kind)
{
	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		for (size_t i = 0; i < making->changes->runs[side]; i++)
			making->table.group[side][i] =
				changes_table_value(&making->table, kind, function, side, i);
}

/* Write the gathered values as a row: those of the side before first. */
static void copy_row(const struct making *making, double *row)
{
	const size_t *runs = making->changes->runs;

	for (enum runs_side side = 0; side < RUNS_SIDES; side++) {
		memcpy(row, making->table.group[side], runs[side] * sizeof(*row));
		row += runs[side];
	}
}

/* Divide the gathered values by the paces of their runs, if these are to be used. */
static void divide(struct making *making)
{
	const double *pace = making->changes->pace.of_run;

	for (enum runs_side side = 0; pace && side < RUNS_SIDES; side++)
		for (size_t i = 0; i < making->changes->runs[side]; i++)
			making->table.group[side][i] /= *pace++;
}

/* Returns whether a function with this mean of all runs takes part. */
static bool is_large(const struct making *making, double common)
{
	return common > 0 && common >= making->options->least_share * making->whole;
}

static void compare_at_pace(struct making *making)
{
	struct changes *changes = making->changes;
	struct changes_value *at_pace = &changes->at_pace;

	*at_pace = changes->whole;
	if (!changes->pace.of_run)
		return;
	gather_whole(making);
	divide(making);
	compare(making, &at_pace->change);
	at_pace->sure = at_pace->change.chance < changes->alpha;
}

/* Find the pace of the runs, by the functions that take part in the comparison. */
static int find_pace(struct making *making)
{
	struct changes *changes = making->changes;
	size_t columns = changes->runs[0] + changes->runs[1];
	double *rows = calloc(making->table.functions * columns + 1, sizeof(*rows));
	struct speed_factor_question question = {
		.value = rows,
		.runs = { changes->runs[0], changes->runs[1] },
		.method = changes->method,
		.alpha = changes->alpha,
		.per_sample = { making->per_sample[0], making->per_sample[1] },
		.sampled = making->sampled,
	};
	int err = rows ? 0 : -ENOMEM;

	for (size_t i = 0; i < making->table.functions && !err; i++) {
		double *row = rows + question.functions * columns;

		gather(making, i, CHANGES_SELF);
		copy_row(making, row);
		if (is_large(making, statistics_mean(row, columns)))
			question.functions++;
	}
	if (!err)
		err = speed_factor_find(&question, &changes->pace);
	free(rows);
	if (!err)
		compare_at_pace(making);
	return err;
}

static void compare_function(struct making *making, size_t function, enum changes_kind kind,
			     struct changes_value *value)
{
	gather(making, function, kind);
	divide(making);
	compare(making, &value->change);
	fill_shares(value, making->changes->at_pace.change.mean);
	value->tested = is_large(making, common_mean(making->changes, value->change.mean));
}

/* Mark what is sure among all functions, themselves and with callees. */
static int mark(struct changes *changes)
{
	size_t count = 2 * changes->count;
	double *chance = calloc(count ? count : 1, sizeof(*chance));
	bool *found = calloc(count ? count : 1, sizeof(*found));
	int err = -ENOMEM;

	if (chance && found) {
		for (size_t i = 0; i < changes->count; i++) {
			const struct changes_function *function = &changes->functions[i];

			chance[2 * i] = function->self.tested ? function->self.change.chance : NAN;
			chance[2 * i + 1] =
				function->total.tested ? function->total.change.chance : NAN;
		}
		err = statistics_discover(chance, count, changes->alpha, found) < 0 ? -ENOMEM : 0;
		for (size_t i = 0; i < changes->count && !err; i++) {
			changes->functions[i].self.sure = found[2 * i];
			changes->functions[i].total.sure = found[2 * i + 1];
		}
	}
	free(chance);
	free(found);
	return err;
}

static int compare_functions(struct making *making)
{
	struct changes *changes = making->changes;
	size_t count = making->table.functions;

	changes->functions = calloc(count ? count : 1, sizeof(*changes->functions));
	if (!changes->functions)
		return -ENOMEM;
	changes->count = count;
	for (size_t i = 0; i < count; i++) {
		changes->functions[i].name = making->table.name[i];
		compare_function(making, i, CHANGES_SELF, &changes->functions[i].self);
		compare_function(making, i, CHANGES_TOTAL, &changes->functions[i].total);
	}
	return mark(changes);
}

int changes_make(const struct runs *runs, const struct changes_options *options,
		 struct changes *changes)
{
	struct making making = { .runs = runs, .options = options, .changes = changes };
	int err;

	*changes = (struct changes){ .alpha = options->alpha };
	for (enum runs_side side = 0; side < RUNS_SIDES; side++) {
		changes->runs[side] = runs_count(runs, side);
		if (!changes->runs[side])
			return -ENODATA;
		making.per_sample[side] = runs_per_sample(runs, side);
	}
	changes->method = statistics_method(changes->runs[0], changes->runs[1], options->paired);
	err = changes_table_read(&making.table, runs);
	if (!err)
		err = compare_whole(&making);
	if (!err)
		err = find_pace(&making);
	if (!err)
		err = compare_functions(&making);
	changes_table_free(&making.table);
	if (!err)
		changes_order(changes, false);
	return err;
}

void changes_free(struct changes *changes)
{
	free(changes->functions);
	speed_factor_free(&changes->pace);
	*changes = (struct changes){ 0 };
}

static int by_change(const struct changes_value *a, const struct changes_value *b)
{
	double difference = fabs(b->change.change) - fabs(a->change.change);

	if (a->sure != b->sure)
		return a->sure ? -1 : 1;
	return (difference > 0) - (difference < 0);
}

static int by_self(const void *left, const void *right)
{
	const struct changes_function *a = left, *b = right;
	int order = by_change(&a->self, &b->self);

	return order ? order : strcmp(a->name, b->name);
}

static int by_total(const void *left, const void *right)
{
	const struct changes_function *a = left, *b = right;
	int order = by_change(&a->total, &b->total);

	return order ? order : strcmp(a->name, b->name);
}

void changes_order(struct changes *changes, bool total)
{
	if (changes->functions)
		qsort(changes->functions, changes->count, sizeof(*changes->functions),
		      total ? by_total : by_self);
}

static double most_of(const struct changes_function *function)
{
	const double *mean = function->total.change.mean;

	return mean[0] > mean[1] ? mean[0] : mean[1];
}

/* Of several functions that differ in their kind only, the one with the most is meant.  An inlined
 * function may be one with calls that were not inlined, and then has their name. */
const struct changes_function *changes_find(const struct changes *changes, const char *name)
{
	const struct changes_function *found = NULL;
	size_t length, bytes;
	bool inlined = frame_kind_of(name, &length) == FRAME_KIND_INLINED;

	if (!inlined)
		length = strlen(name);
	for (size_t i = 0; i < changes->count; i++) {
		const struct changes_function *function = &changes->functions[i];

		if (!strcmp(function->name, name))
			return function;
		if (frame_kind_of(function->name, &bytes) != FRAME_KIND_USER && inlined)
			continue;
		if (bytes == length && !memcmp(function->name, name, bytes) &&
		    (!found || most_of(function) > most_of(found)))
			found = function;
	}
	return found;
}

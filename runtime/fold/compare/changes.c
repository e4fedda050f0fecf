/*
 * Functions of all runs get numbers by their names.  Each run keeps its values by those numbers; a
 * function that a run lacks has the value 0 in it.  Then the values of one function after the other
 * are gathered from all runs and compared.
 */
#include "runtime/fold/compare/changes.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/base/grow.h"
#include "runtime/fold/base/maths.h"
#include "runtime/fold/base/string_table.h"
#include "runtime/fold/compare/runs.h"
#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/profile/functions.h"
#include "runtime/fold/symbols/frame_kind.h"

enum kind { SELF, TOTAL, KINDS };

/* One run: its values by the number of the function - 1, for the functions known so far. */
struct run {
	double *value[KINDS];
	size_t known;
};

struct table {
	const struct runs *runs;
	const struct changes_options *options;
	struct changes *changes;
	struct string_table names;
	const char **name; /* by number - 1; those of the runs' trees */
	struct run *run[RUNS_SIDES];
	double *group[RUNS_SIDES]; /* values of one quantity, by run */
	double per_sample[RUNS_SIDES];
	double whole;	/* mean of all runs */
	double sampled; /* the same with noise: all that the samples of a run are taken from */
};

static void table_free(struct table *table)
{
	for (enum runs_side side = 0; side < RUNS_SIDES; side++) {
		for (size_t i = 0; table->run[side] && i < table->changes->runs[side]; i++)
			for (int kind = 0; kind < KINDS; kind++)
				free(table->run[side][i].value[kind]);
		free(table->run[side]);
		free(table->group[side]);
	}
	free(table->name);
	string_table_free(&table->names);
}

static int number_name(struct table *table, const char *name, uint32_t *number)
{
	size_t known = table->names.count;

	*number = string_table_intern(&table->names, name, strlen(name));
	if (!*number || (*number > known && !grow(&table->name, known, sizeof(*table->name))))
		return -ENOMEM;
	if (*number > known)
		table->name[known] = name;
	return 0;
}

/* The numbers of a run's functions come first, so that its values need no more room than that. */
static int fill_run(struct table *table, struct run *run, const struct function *list, size_t count)
{
	uint32_t *number = calloc(count ? count : 1, sizeof(*number));
	int err = number ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++)
		err = number_name(table, list[i].name, &number[i]);
	run->known = table->names.count;
	for (int kind = 0; kind < KINDS && !err; kind++) {
		run->value[kind] = calloc(run->known ? run->known : 1, sizeof(double));
		err = run->value[kind] ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < count && !err; i++) {
		run->value[SELF][number[i] - 1] = (double)list[i].self;
		run->value[TOTAL][number[i] - 1] = (double)list[i].total;
	}
	free(number);
	return err;
}

static int read_side(struct table *table, enum runs_side side)
{
	size_t count = table->changes->runs[side];
	int err = 0;

	table->per_sample[side] = runs_per_sample(table->runs, side);
	table->run[side] = calloc(count, sizeof(*table->run[side]));
	table->group[side] = calloc(count, sizeof(*table->group[side]));
	if (!table->run[side] || !table->group[side])
		return -ENOMEM;
	for (size_t i = 0; i < count && !err; i++) {
		struct function *list;
		size_t functions;

		err = functions_list(runs_tree(table->runs, side, i), runs_outer(table->runs),
				     false, &list, &functions);
		if (!err)
			err = fill_run(table, &table->run[side][i], list, functions);
		free(list);
	}
	return err;
}

/* Returns the mean of all runs of both sides together: it does not favour a change. */
static double common_mean(const struct changes *changes, const double mean[2])
{
	double before = (double)changes->runs[0], after = (double)changes->runs[1];

	return (before * mean[0] + after * mean[1]) / (before + after);
}

/* Compare the values gathered in the groups. */
static void compare(const struct table *table, struct statistics_change *change)
{
	const struct changes *changes = table->changes;
	struct statistics_group group[2];

	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		group[side] =
			(struct statistics_group){ table->group[side], changes->runs[side], 0 };
	statistics_sample(group, table->per_sample, table->sampled);
	statistics_compare(group, changes->method, changes->alpha, change);
}

static void fill_shares(struct changes_value *value, const double whole[2])
{
	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		value->share[side] = whole[side] > 0 ? value->change.mean[side] / whole[side] : 0;
}

static double whole_of(const struct table *table, enum runs_side side, size_t run)
{
	return (double)frame_tree_root(runs_tree(table->runs, side, run))->total;
}

static double mean_sampled(const struct table *table)
{
	const size_t *runs = table->changes->runs;
	double sum = 0;

	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		for (size_t i = 0; i < runs[side]; i++)
			sum += whole_of(table, side, i) + runs_noise(table->runs, side, i);
	return sum / (double)(runs[0] + runs[1]);
}

/* The whole comes first: the functions are shares of it. */
static int compare_whole(struct table *table)
{
	struct changes *changes = table->changes;
	struct changes_value *whole = &changes->whole, *noise = &changes->noise;

	table->sampled = mean_sampled(table);
	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		for (size_t i = 0; i < changes->runs[side]; i++)
			table->group[side][i] = whole_of(table, side, i);
	compare(table, &whole->change);
	table->whole = common_mean(changes, whole->change.mean);
	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		for (size_t i = 0; i < changes->runs[side]; i++)
			table->group[side][i] = runs_noise(table->runs, side, i);
	compare(table, &noise->change);
	if (!(table->whole > 0))
		return -ENODATA;
	fill_shares(whole, whole->change.mean);
	fill_shares(noise, whole->change.mean);
	changes->has_intervals = maths_has_distributions();
	whole->tested = true;
	whole->sure = whole->change.chance < changes->alpha;
	return 0;
}

static void compare_function(struct table *table, size_t index, enum kind kind,
			     struct changes_value *value)
{
	const struct changes *changes = table->changes;
	double common;

	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		for (size_t i = 0; i < changes->runs[side]; i++) {
			const struct run *run = &table->run[side][i];

			table->group[side][i] = index < run->known ? run->value[kind][index] : 0;
		}
	compare(table, &value->change);
	fill_shares(value, changes->whole.change.mean);
	common = common_mean(changes, value->change.mean);
	value->tested = common > 0 && common >= table->options->least_share * table->whole;
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

static int compare_functions(struct table *table)
{
	struct changes *changes = table->changes;
	size_t count = table->names.count;

	changes->functions = calloc(count ? count : 1, sizeof(*changes->functions));
	if (!changes->functions)
		return -ENOMEM;
	changes->count = count;
	for (size_t i = 0; i < count; i++) {
		changes->functions[i].name = table->name[i];
		compare_function(table, i, SELF, &changes->functions[i].self);
		compare_function(table, i, TOTAL, &changes->functions[i].total);
	}
	return mark(changes);
}

int changes_make(const struct runs *runs, const struct changes_options *options,
		 struct changes *changes)
{
	struct table table = { .runs = runs, .options = options, .changes = changes };
	int err = 0;

	*changes = (struct changes){ .alpha = options->alpha };
	for (enum runs_side side = 0; side < RUNS_SIDES; side++) {
		changes->runs[side] = runs_count(runs, side);
		if (!changes->runs[side])
			return -ENODATA;
	}
	changes->method = statistics_method(changes->runs[0], changes->runs[1], options->paired);
	for (enum runs_side side = 0; side < RUNS_SIDES && !err; side++)
		err = read_side(&table, side);
	if (!err)
		err = compare_whole(&table);
	if (!err)
		err = compare_functions(&table);
	table_free(&table);
	if (!err)
		changes_order(changes, false);
	return err;
}

void changes_free(struct changes *changes)
{
	free(changes->functions);
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

/*
 * Functions of all runs get numbers by their names; each run keeps its values by those numbers. The
 * whole is compared first, then the speed factor of the runs is found, and then the values of one
 * function after the other are gathered from all runs, divided by the speed factor, and compared.
 */
#include "runtime/compare/changes.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/compare/runs.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/symbols/frame_kind.h"

enum kind { SELF, TOTAL, KINDS };

/* One run: its values by function, for the functions known so far; it lacks others. */
struct run_values {
	double *value[KINDS];
	size_t known;
};

/* The comparison while it is made. */
struct making {
	const struct runs *runs;
	const struct changes_options *options;
	struct changes *changes;
	struct statistics_test test;
	size_t columns;		/* runs of both sides, those before first */
	struct run_values *run; /* by column */
	double *row;		/* a value of each run */
	struct string_table names;
	const char **name; /* by function; those of the runs' trees */
	double whole;	   /* mean of all runs */
};

int changes_test(const struct runs *runs, const struct changes_options *options,
		 struct statistics_test *test, double *total)
{
	double sampled = 0;

	*test = (struct statistics_test){ .alpha = options->alpha };
	*total = 0;
	for (enum runs_side side = 0; side < RUNS_SIDES; side++) {
		test->runs[side] = runs_count(runs, side);
		test->per_sample[side] = runs_per_sample(runs, side);
		if (!test->runs[side])
			return -ENODATA;
	}
	for (size_t i = 0; i < test->runs[0] + test->runs[1]; i++) {
		double own = (double)frame_tree_root(runs_tree(runs, i))->total;

		*total += own;
		sampled += own + runs_noise(runs, i);
	}
	test->whole = sampled / (double)(test->runs[0] + test->runs[1]);
	test->method = statistics_method(test->runs[0], test->runs[1], options->paired);
	return 0;
}

static int number_name(struct making *making, const char *name, uint32_t *number)
{
	size_t known = making->names.count;

	*number = string_table_intern(&making->names, name, strlen(name));
	if (!*number || (*number > known && !grow(&making->name, known, sizeof(*making->name))))
		return -ENOMEM;
	if (*number > known)
		making->name[known] = name;
	return 0;
}

/* The numbers of a run's functions come first, so that its values need no more room than that. */
static int fill_run(struct making *making, struct run_values *run, const struct function *list,
		    size_t count)
{
	uint32_t *number = calloc(count ? count : 1, sizeof(*number));
	int err = number ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++)
		err = number_name(making, list[i].name, &number[i]);
	run->known = making->names.count;
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

static int read_runs(struct making *making)
{
	int err = 0;

	making->run = calloc(making->columns, sizeof(*making->run));
	making->row = calloc(making->columns, sizeof(*making->row));
	if (!making->run || !making->row)
		return -ENOMEM;
	for (size_t i = 0; i < making->columns && !err; i++) {
		struct function *list;
		size_t count;

		err = functions_list(runs_tree(making->runs, i), runs_outer(making->runs), false,
				     &list, &count);
		if (!err)
			err = fill_run(making, &making->run[i], list, count);
		free(list);
	}
	return err;
}

static void free_values(struct making *making)
{
	for (size_t i = 0; making->run && i < making->columns; i++)
		for (int kind = 0; kind < KINDS; kind++)
			free(making->run[i].value[kind]);
	free(making->run);
	free(making->row);
	free(making->name);
	string_table_free(&making->names);
}

/* Returns the mean of all runs of both sides together: it does not favour a change. */
static double common_mean(const struct changes *changes, const double mean[2])
{
	double before = (double)changes->runs[0], after = (double)changes->runs[1];

	return (before * mean[0] + after * mean[1]) / (before + after);
}

static void fill_shares(struct changes_value *value, const double whole[2])
{
	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		value->share[side] = whole[side] > 0 ? value->change.mean[side] / whole[side] : 0;
}

static void gather_whole(struct making *making)
{
	for (size_t i = 0; i < making->columns; i++)
		making->row[i] = (double)frame_tree_root(runs_tree(making->runs, i))->total;
}

/* The whole comes first: the functions are shares of it. */
static int compare_whole(struct making *making)
{
	struct changes *changes = making->changes;
	struct changes_value *whole = &changes->whole, *noise = &changes->noise;

	gather_whole(making);
	statistics_compare_row(&making->test, making->row, &whole->change);
	making->whole = common_mean(changes, whole->change.mean);
	for (size_t i = 0; i < making->columns; i++)
		making->row[i] = runs_noise(making->runs, i);
	statistics_compare_row(&making->test, making->row, &noise->change);
	if (!(making->whole > 0))
		return -ENODATA;
	fill_shares(whole, whole->change.mean);
	fill_shares(noise, whole->change.mean);
	changes->has_intervals = maths_has_distributions();
	whole->tested = true;
	whole->significant = whole->change.chance < changes->alpha;
	return 0;
}

static void gather(struct making *making, size_t function, enum kind kind)
{
	for (size_t i = 0; i < making->columns; i++) {
		const struct run_values *run = &making->run[i];

		making->row[i] = function < run->known ? run->value[kind][function] : 0;
	}
}

/* Divide the gathered values by the speed factors of their runs, if these are to be used. */
static void divide(struct making *making)
{
	const double *factor = making->changes->speed.of_run;

	for (size_t i = 0; factor && i < making->columns; i++)
		making->row[i] /= factor[i];
}

static bool is_large(const struct making *making, double common)
{
	return common > 0 && common >= making->options->least_share * making->whole;
}

static void compare_normalized(struct making *making)
{
	struct changes *changes = making->changes;
	struct changes_value *normalized = &changes->normalized;

	*normalized = changes->whole;
	if (!changes->speed.of_run)
		return;
	gather_whole(making);
	divide(making);
	statistics_compare_row(&making->test, making->row, &normalized->change);
	normalized->significant = normalized->change.chance < changes->alpha;
}

/* Find the speed factor of the runs, by the functions that take part in the comparison. */
static int find_speed(struct making *making)
{
	size_t columns = making->columns;
	double *rows = calloc(making->names.count * columns + 1, sizeof(*rows));
	struct speed_factor_question question = { .value = rows, .test = making->test };
	int err = rows ? 0 : -ENOMEM;

	for (size_t i = 0; i < making->names.count && !err; i++) {
		gather(making, i, SELF);
		memcpy(rows + question.functions * columns, making->row, columns * sizeof(*rows));
		if (is_large(making, statistics_mean(making->row, columns)))
			question.functions++;
	}
	if (!err)
		err = speed_factor_find(&question, &making->changes->speed);
	free(rows);
	if (!err)
		compare_normalized(making);
	return err;
}

static void compare_function(struct making *making, size_t function, enum kind kind,
			     struct changes_value *value)
{
	gather(making, function, kind);
	divide(making);
	statistics_compare_row(&making->test, making->row, &value->change);
	fill_shares(value, making->changes->normalized.change.mean);
	value->tested = is_large(making, common_mean(making->changes, value->change.mean));
}

int changes_mark(struct changes_value *const *values, size_t count, double alpha)
{
	double *chance = calloc(count + 1, sizeof(*chance));
	bool *found = calloc(count + 1, sizeof(*found));
	int err = chance && found ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++)
		chance[i] = values[i]->tested ? values[i]->change.chance : NAN;
	if (!err && statistics_discover(chance, count, alpha, found) < 0)
		err = -ENOMEM;
	for (size_t i = 0; i < count && !err; i++)
		values[i]->significant = found[i];
	free(chance);
	free(found);
	return err;
}

static int compare_functions(struct making *making)
{
	struct changes *changes = making->changes;
	size_t count = making->names.count;
	struct changes_value **values = calloc(2 * count + 1, sizeof(void *));
	int err = -ENOMEM;

	changes->functions = calloc(count + 1, sizeof(*changes->functions));
	if (changes->functions && values) {
		changes->count = count;
		for (size_t i = 0; i < count; i++) {
			struct changes_function *function = &changes->functions[i];

			function->name = making->name[i];
			compare_function(making, i, SELF, values[2 * i] = &function->self);
			compare_function(making, i, TOTAL, values[2 * i + 1] = &function->total);
		}
		err = changes_mark(values, 2 * count, changes->alpha);
	}
	free(values);
	return err;
}

int changes_make(const struct runs *runs, const struct changes_options *options,
		 struct changes *changes)
{
	struct making making = { .runs = runs, .options = options, .changes = changes };
	double total;
	int err = changes_test(runs, options, &making.test, &total);

	*changes = (struct changes){
		.runs = { making.test.runs[0], making.test.runs[1] },
		.method = making.test.method,
		.alpha = options->alpha,
	};
	if (err)
		return err;
	making.columns = changes->runs[0] + changes->runs[1];
	err = read_runs(&making);
	if (!err)
		err = compare_whole(&making);
	if (!err)
		err = find_speed(&making);
	if (!err)
		err = compare_functions(&making);
	free_values(&making);
	if (!err)
		changes_order(changes, false);
	return err;
}

void changes_free(struct changes *changes)
{
	free(changes->functions);
	speed_factor_free(&changes->speed);
	*changes = (struct changes){ 0 };
}

static int by_change(const struct changes_value *a, const struct changes_value *b)
{
	double difference = fabs(b->change.change) - fabs(a->change.change);

	if (a->significant != b->significant)
		return a->significant ? -1 : 1;
	return (difference > 0) - (difference < 0);
}

/* `context`: by the values with callees. */
static int compare_for_reading(const void *left, const void *right, void *context)
{
	const struct changes_function *a = left, *b = right;
	int order = context ? by_change(&a->total, &b->total) : by_change(&a->self, &b->self);

	return order ? order : strcmp(a->name, b->name);
}

void changes_order(struct changes *changes, bool total)
{
	if (changes->functions)
		qsort_r(changes->functions, changes->count, sizeof(*changes->functions),
			compare_for_reading, total ? changes : NULL);
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

/*
 * Frames of all runs are joined in one tree.  A frame has a number, and a row of a table with its
 * value in each run: those of the side before come first.
 */
#include "runtime/compare/tree_changes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/maths.h"
#include "runtime/compare/runs.h"
#include "runtime/profile/tree/frame_tree.h"

struct tree_changes {
	struct frame_tree *tree;
	struct map numbers; /* of its frames, by address; from 1 */
	struct tree_change *list;
	size_t count;
	double most;
};

struct joining {
	struct tree_changes *changes;
	struct statistics_test test;
	size_t columns; /* runs of both sides */
	size_t column;	/* that of the current run */
	const struct tree_changes_options *options;
	double *value; /* totals: a row for each frame */
	double *self;  /* sums over the side after */
	size_t rows;
};

/* A frame's number is its row + 1. */
static int add_row(struct joining *joining)
{
	size_t row_bytes = joining->columns * sizeof(*joining->value);

	if (joining->rows == UINT32_MAX - 1 || !grow(&joining->value, joining->rows, row_bytes) ||
	    !grow(&joining->self, joining->rows, sizeof(*joining->self)))
		return -ENOMEM;
	memset(joining->value + joining->rows * joining->columns, 0, row_bytes);
	joining->self[joining->rows++] = 0;
	return 0;
}

/* Returns the number of a frame of the tree of all; 0 when memory is out. */
static uint32_t number_of(struct joining *joining, const struct frame *joined)
{
	uint32_t *number = map_at(&joining->changes->numbers, 0, (uintptr_t)joined);

	if (!number || (!*number && add_row(joining)))
		return 0;
	if (!*number)
		*number = (uint32_t)joining->rows;
	return *number;
}

/* Add values of a run, with callees and without, to those of a frame. */
static int join_values(struct joining *joining, const struct frame *joined, uint64_t total,
		       uint64_t self)
{
	const double *factors = joining->options->factors;
	double factor = factors ? factors[joining->column] : 1;
	size_t number = number_of(joining, joined);

	if (!number)
		return -ENOMEM;
	joining->value[(number - 1) * joining->columns + joining->column] += (double)total / factor;
	if (joining->column >= joining->test.runs[RUNS_BEFORE])
		joining->self[number - 1] += (double)self / factor;
	return 0;
}

/* A frame of the current stack of a run, and the same one in the tree of all. */
struct step {
	const struct frame *frame;
	struct frame *joined;
};

/* Join a run's frames with those of the others.  `path` has room for a step for each frame of a
 * stack, and the root. */
static int join_frames(struct joining *joining, struct frame_tree *tree, struct step *path)
{
	struct frame_tree *all = joining->changes->tree;
	const struct frame *frame = frame_tree_root(tree);
	size_t depth = 0;
	int err;

	path[0] = (struct step){ frame, frame_tree_root(all) };
	err = join_values(joining, path[0].joined, frame->total, frame->self);
	while (!err && (frame = frame_tree_next(frame))) {
		struct frame *joined;

		while (path[depth].frame != frame->parent)
			depth--;
		joined = frame_tree_child(all, path[depth].joined, frame->name);
		err = joined ? join_values(joining, joined, frame->total, frame->self) : -ENOMEM;
		path[++depth] = (struct step){ frame, joined };
	}
	return err;
}

static int join_run(struct joining *joining, struct frame_tree *tree)
{
	struct step *path = calloc(frame_tree_depth(tree) + 1, sizeof(*path));
	int err = path ? join_frames(joining, tree, path) : -ENOMEM;

	free(path);
	return err;
}

static int join_reversed(void *context, const char **names, size_t depth, uint64_t value)
{
	struct joining *joining = context;
	struct frame_tree *all = joining->changes->tree;
	struct frame *joined = frame_tree_root(all);
	int err = join_values(joining, joined, value, 0);

	frame_tree_reverse_names(names, depth, joining->options->outer);
	for (size_t i = 0; i < depth && !err; i++) {
		joined = frame_tree_child(all, joined, names[i]);
		err = joined ? join_values(joining, joined, value, i + 1 < depth ? 0 : value)
			     : -ENOMEM;
	}
	return err;
}

static int join_all(struct joining *joining, const struct runs *runs)
{
	size_t *i = &joining->column;
	int err = 0;

	for (*i = 0; *i < joining->columns && !err; ++*i)
		err = joining->options->reverse
			      ? frame_tree_each(runs_tree(runs, *i), join_reversed, joining)
			      : join_run(joining, runs_tree(runs, *i));
	frame_tree_sort(joining->changes->tree);
	return err;
}

/* A frame and those below it are neighbours in the order of this walk.  Rounding the sum so far,
 * and not each value, keeps what is left from getting lost among many small frames. */
static int give_values(struct joining *joining)
{
	struct tree_changes *changes = joining->changes;
	double runs = (double)joining->test.runs[RUNS_AFTER], sum = 0, given = 0;
	struct frame *frame = frame_tree_root(changes->tree);
	int err = 0;

	while (!err && (frame = frame_tree_next(frame))) {
		size_t number = map_value(&changes->numbers, 0, (uintptr_t)frame);
		double value;

		sum += joining->self[number - 1] / runs;
		value = maths_floor(sum + 0.5) - given;
		given += value;
		err = frame_tree_give(changes->tree, frame, maths_up(value));
	}
	return err;
}

static double sum_of(const double *row, size_t columns)
{
	double sum = 0;

	for (size_t i = 0; i < columns; i++)
		sum += row[i];
	return sum;
}

/* Compare the row of a frame.  Returns the chance; NaN if it takes no part. */
static double compare(const struct joining *joining, size_t row)
{
	const size_t *runs = joining->test.runs;
	const double *value = joining->value + row * joining->columns;
	struct tree_change *change = &joining->changes->list[row];
	struct statistics_change found;
	double whole = sum_of(joining->value, joining->columns);

	change->mean[RUNS_BEFORE] = sum_of(value, runs[0]) / (double)runs[0];
	change->mean[RUNS_AFTER] = sum_of(value + runs[0], runs[1]) / (double)runs[1];
	change->low = NAN;
	change->high = NAN;
	if (sum_of(value, joining->columns) < joining->options->changes.least_share * whole)
		return NAN;
	change->tested = true;
	statistics_compare_row(&joining->test, value, &found);
	change->low = found.low;
	change->high = found.high;
	return found.chance;
}

/* The root, row 0, is no frame of a picture: it is judged by itself. */
static int mark(struct tree_changes *changes, double *chance, bool *found, double alpha)
{
	changes->list[0].significant = chance[0] < alpha;
	chance[0] = NAN;
	if (statistics_discover(chance, changes->count, alpha, found) < 0)
		return -ENOMEM;
	for (size_t i = 1; i < changes->count; i++) {
		struct tree_change *change = &changes->list[i];
		double size = fabs(change->mean[RUNS_AFTER] - change->mean[RUNS_BEFORE]);

		change->significant = found[i];
		if (found[i] && size > changes->most)
			changes->most = size;
	}
	return 0;
}

static int compare_all(struct joining *joining)
{
	struct tree_changes *changes = joining->changes;
	double *chance = calloc(joining->rows, sizeof(*chance));
	bool *found = calloc(joining->rows, sizeof(*found));
	int err = -ENOMEM;

	changes->list = calloc(joining->rows, sizeof(*changes->list));
	changes->count = joining->rows;
	if (chance && found && changes->list) {
		for (size_t i = 0; i < joining->rows; i++)
			chance[i] = compare(joining, i);
		err = mark(changes, chance, found, joining->options->changes.alpha);
	}
	free(chance);
	free(found);
	return err;
}

/* Returns -ENODATA if a side has no run, or neither has anything but noise. */
static int check_runs(struct joining *joining, const struct runs *runs)
{
	double sum;
	int err = changes_test(runs, &joining->options->changes, &joining->test, &sum);

	joining->columns = joining->test.runs[RUNS_BEFORE] + joining->test.runs[RUNS_AFTER];
	return err ? err : sum > 0 ? 0 : -ENODATA;
}

int tree_changes_make(const struct runs *runs, const struct tree_changes_options *options,
		      struct tree_changes **changes)
{
	struct joining joining = { .changes = calloc(1, sizeof(*joining.changes)),
				   .options = options };
	int err = joining.changes ? check_runs(&joining, runs) : -ENOMEM;

	if (!err) {
		joining.changes->tree = frame_tree_new();
		if (!joining.changes->tree ||
		    !number_of(&joining, frame_tree_root(joining.changes->tree)))
			err = -ENOMEM;
	}
	if (!err)
		err = join_all(&joining, runs);
	if (!err)
		err = give_values(&joining);
	if (!err)
		err = compare_all(&joining);
	free(joining.value);
	free(joining.self);
	if (err)
		tree_changes_free(joining.changes);
	*changes = err ? NULL : joining.changes;
	return err;
}

void tree_changes_free(struct tree_changes *changes)
{
	if (!changes)
		return;
	frame_tree_free(changes->tree);
	map_free(&changes->numbers);
	free(changes->list);
	free(changes);
}

struct frame_tree *tree_changes_tree(const struct tree_changes *changes)
{
	return changes->tree;
}

const struct tree_change *tree_changes_of(const struct tree_changes *changes,
					  const struct frame *frame)
{
	return &changes->list[map_value(&changes->numbers, 0, (uintptr_t)frame) - 1];
}

double tree_changes_most(const struct tree_changes *changes)
{
	return changes->most;
}

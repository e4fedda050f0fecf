/* Of made-up programs whose truth is known, functions that did not change are hardly ever marked,
 * and those that did are.  This program is marked long: test_simulated_runs.py shows the same, of
 * fewer. */
#include "runtime/compare/changes.h"
#include "runtime/compare/runs.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/simulated.h"
#include "tests/support/unit.h"

#define ALPHA	  0.05
#define TRIALS	  200
#define FUNCTIONS 40
#define NAME	  16

struct program {
	size_t runs;
	double spread;	/* of a run's speed, which all functions share */
	double drift;	/* standard deviation of a step of the machine's speed */
	size_t changed; /* how many functions changed, from the second on */
	double factor;	/* by which they did */
	double samples; /* of the largest function; each next has nine tenths of it */
	bool paired;
};

struct marks {
	unsigned any;	   /* trials in which anything is marked */
	double false_ones; /* sum of the shares of the false among the marked */
	double found;	   /* sum of the shares of the changed that are marked */
	unsigned first;	   /* trials in which the first row is one that changed most */
	unsigned missed;   /* intervals that do not hold the truth */
	unsigned intervals;
};

static double samples_of(const struct program *program, size_t function, int side)
{
	bool changed = side && function >= 1 && function <= program->changed;

	return program->samples * pow(0.9, (double)function) * (changed ? program->factor : 1);
}

static struct frame_tree *draw(const struct program *program, int side, double speed)
{
	struct frame_tree *tree = frame_tree_new();
	double factor = speed * (1 + program->spread * simulated_normal());

	for (size_t i = 0; i < FUNCTIONS; i++) {
		char name[NAME];
		const char *frames[] = { "app", name };

		snprintf(name, sizeof(name), "f%zu", i);
		assert_int_equal(frame_tree_add(tree, frames, 2,
						(uint64_t)simulated_poisson(
							factor * samples_of(program, i, side))),
				 0);
	}
	frame_tree_sort(tree);
	return tree;
}

static void count(const struct program *program, const struct changes *changes, struct marks *marks)
{
	double marked = 0, right = 0;

	for (size_t i = 0; i < changes->count; i++) {
		const struct changes_function *function = &changes->functions[i];
		size_t number;
		double truth;

		assert_int_equal(sscanf(function->name, "f%zu", &number), 1);
		truth = samples_of(program, number, 1) - samples_of(program, number, 0);
		marked += function->self.significant;
		right += function->self.significant && fabs(truth) > 0;
		marks->missed +=
			function->self.change.low > truth || function->self.change.high < truth;
		marks->intervals++;
	}
	marks->any += marked > 0;
	marks->false_ones += marked > 0 ? (marked - right) / marked : 0;
	marks->found += program->changed ? right / (double)program->changed : 0;
	marks->first += !strcmp(changes->functions[0].name, "f1");
}

static struct marks marks_of(const struct program *program)
{
	static const struct runs_options none = { .outer = 0 };
	struct changes_options options = { .alpha = ALPHA,
					   .paired = program->paired,
					   .least_share = CHANGES_LEAST };
	struct marks marks = { 0 };

	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct runs *runs = runs_new(&none);
		struct changes changes;
		double speed = 1;

		for (size_t turn = 0; turn < 2 * program->runs; turn++) {
			int side = (int)((turn + turn / 2) % 2);

			speed *= 1 + program->drift * simulated_normal();
			assert_int_equal(runs_add(runs, side, draw(program, side, speed), 1), 0);
		}
		assert_int_equal(runs_settle(runs), 0);
		assert_int_equal(changes_make(runs, &options, &changes), 0);
		count(program, &changes, &marks);
		changes_free(&changes);
		runs_free(runs);
	}
	return marks;
}

TEST(nothing_is_marked_where_nothing_changed)
{
	static const struct program programs[] = {
		{ .runs = 1, .samples = 300 },
		{ .runs = 3, .spread = 0.02, .samples = 300 },
		{ .runs = 10, .spread = 0.02, .samples = 300 },
		{ .runs = 10, .spread = 0.02, .samples = 5 },
		{ .runs = 10, .spread = 0.01, .drift = 0.02, .samples = 300, .paired = true },
		{ .runs = 10, .spread = 0.25, .samples = 1000 },
		{ .runs = 10, .spread = 0.25, .samples = 1000, .paired = true },
		{ .runs = 30, .spread = 0.1, .samples = 300 },
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct marks marks = marks_of(&programs[i]);

		simulated_at_most(marks.any, TRIALS, ALPHA);
	}
}

TEST(of_the_marked_functions_few_are_false)
{
	static const struct program programs[] = {
		{ .runs = 1, .samples = 1000, .changed = 10, .factor = 1.4 },
		{ .runs = 10, .spread = 0.01, .samples = 1000, .changed = 10, .factor = 1.15 },
		{ .runs = 10,
		  .spread = 0.01,
		  .drift = 0.02,
		  .samples = 1000,
		  .changed = 10,
		  .factor = 1.15,
		  .paired = true },
		{ .runs = 10, .spread = 0.25, .samples = 1000, .changed = 3, .factor = 1.15 },
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct marks marks = marks_of(&programs[i]);

		assert_true(marks.false_ones / TRIALS < ALPHA);
		assert_true(marks.found / TRIALS > 0.8);
		simulated_at_most(marks.missed, marks.intervals, ALPHA * 1.1);
	}
}

TEST(the_function_that_changed_comes_first)
{
	static const struct program programs[] = {
		{ .runs = 10, .spread = 0.01, .samples = 1000, .changed = 1, .factor = 1.08 },
		{ .runs = 10, .spread = 0.25, .samples = 1000, .changed = 1, .factor = 1.08 },
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct marks marks = marks_of(&programs[i]);

		assert_true(marks.first >= TRIALS * 95 / 100);
		assert_true(marks.false_ones / TRIALS < ALPHA);
	}
}

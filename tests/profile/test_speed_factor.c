/* The speed factor of runs is found where all functions share it and some of them changed, and is
 * left alone where it explains nothing or might hide the answer. */
#include "runtime/profile/base/maths.h"
#include "runtime/compare/statistics/statistics.h"
#include "tests/support/simulated.h"
#include "tests/support/unit.h"

#define RUNS	  10 /* a side */
#define COLUMNS	  (2 * RUNS)
#define MOST	  32 /* functions */
#define ALPHA	  0.01
#define TRIALS	  100
#define PER_TRIAL (TRIALS * 9 / 10)

/* A program, before and after a change. */
struct program {
	size_t functions;
	double size[MOST];   /* samples of a run */
	double factor[MOST]; /* by which the change made it larger; 0: by none */
	double wild;	     /* deviation that the first function has for itself */
	double spread;	     /* deviation of the speed factor */
	double alike;	     /* by which everything became slower; 0: it did not */
	size_t runs;	     /* a side; 0: RUNS */
};

struct outcome {
	unsigned used;	/* how often the speed factor is */
	unsigned alike; /* how often it is said that most functions changed by a shift */
	double change;	/* mean of the relative change of the first function normalized */
	double slowest; /* mean, of those used */
	double largest; /* deviation of the quotient of the speed factor found and the true one */
};

static double values[MOST * COLUMNS], factors[COLUMNS];

static double factor_of(const struct program *program, size_t function, bool after)
{
	double factor = program->factor[function] > 0 ? program->factor[function] : 1;
	double alike = program->alike > 0 ? program->alike : 1;

	return after ? factor * alike : 1;
}

static void draw(const struct program *program, size_t runs)
{
	for (size_t run = 0; run < 2 * runs; run++)
		factors[run] = exp(program->spread * simulated_normal());
	for (size_t i = 0; i < program->functions; i++)
		for (size_t run = 0; run < 2 * runs; run++) {
			double mean = program->size[i] * factors[run] *
				      factor_of(program, i, run >= runs);

			if (!i)
				mean *= exp(program->wild * simulated_normal());
			values[i * 2 * runs + run] = (double)simulated_poisson(mean);
		}
}

static double sampled(const struct program *program)
{
	double sum = 0;

	for (size_t i = 0; i < program->functions; i++)
		sum += program->size[i];
	return sum;
}

/* Find the speed factor of the values that were drawn; each stands for `per_sample`, 0: they are
 * exact. */
static int find(const struct program *program, size_t runs, double per_sample,
		struct speed_factor *speed)
{
	const struct speed_factor_question question = {
		.value = values,
		.functions = program->functions,
		.test = { .runs = { runs, runs },
			  .method = statistics_method(runs, runs, false),
			  .alpha = ALPHA,
			  .per_sample = { per_sample, per_sample },
			  .whole = sampled(program) },
	};

	return speed_factor_find(&question, speed);
}

static double mean_normalized(const struct speed_factor *speed, size_t first)
{
	double sum = 0;

	for (size_t run = first; run < first + RUNS; run++)
		sum += values[run] / speed->of_run[run];
	return sum / RUNS;
}

/* Returns how far the speed factor that was found is from the true one: the deviation of their
 * quotient. */
static double error_of(const struct speed_factor *speed)
{
	double sum = 0, squares = 0;

	for (size_t run = 0; run < COLUMNS; run++) {
		double quotient = log(speed->of_run[run] / factors[run]);

		sum += quotient;
		squares += quotient * quotient;
	}
	return sqrt(squares / COLUMNS - sum * sum / COLUMNS / COLUMNS);
}

static void need_distributions(void)
{
	if (!maths_has_distributions())
		skip();
}

static struct outcome outcome_of(const struct program *program)
{
	size_t runs = program->runs ? program->runs : RUNS;
	struct outcome outcome = { 0 };

	need_distributions();
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct speed_factor speed;

		draw(program, runs);
		assert_int_equal(find(program, runs, 1, &speed), 0);
		outcome.alike += speed.alike;
		assert_true(!speed.alike || (!speed.of_run && fabs(speed.shift.relative) >= 0.01));
		if (speed.of_run) {
			outcome.used++;
			outcome.slowest += speed.slowest;
			outcome.change +=
				mean_normalized(&speed, RUNS) / mean_normalized(&speed, 0) - 1;
			if (error_of(&speed) > outcome.largest)
				outcome.largest = error_of(&speed);
		}
		speed_factor_free(&speed);
	}
	if (outcome.used) {
		outcome.change /= outcome.used;
		outcome.slowest /= outcome.used;
	}
	return outcome;
}

static void assert_change(const struct outcome *outcome, double expected, double at_most)
{
	if (!(fabs(outcome->change - expected) <= at_most))
		fail_msg("a change of %g is not %g", outcome->change, expected);
}

TEST(of_equal_programs_it_is_what_the_machine_did)
{
	const struct program program = { .functions = 4,
					 .size = { 2500, 2500, 3500, 1500 },
					 .spread = 0.3 };
	struct outcome outcome = outcome_of(&program);

	assert_true(outcome.used >= TRIALS * 95 / 100);
	assert_true(outcome.largest < 0.02);
	assert_true(outcome.slowest > 2 && outcome.slowest < 4);
	assert_change(&outcome, 0, 0.002);
}

TEST(a_function_that_changed_takes_no_part_in_it)
{
	const struct program program = { .functions = 4,
					 .size = { 2500, 2500, 3500, 1500 },
					 .factor = { 1.08 },
					 .spread = 0.3 };
	struct outcome outcome = outcome_of(&program);

	assert_true(outcome.used >= PER_TRIAL);
	assert_change(&outcome, 0.08, 0.005);
}

TEST(moved_time_is_seen_on_both_ends)
{
	const struct program program = { .functions = 4,
					 .size = { 2500, 2500, 3500, 1500 },
					 .factor = { 0.8, 1, 1 + 500 / 3500. },
					 .spread = 0.3 };
	struct outcome outcome = outcome_of(&program);

	assert_true(outcome.used >= PER_TRIAL);
	assert_change(&outcome, -0.2, 0.005);
}

/* The others, with a tenth of the samples, say what the speed factor is. */
TEST(a_large_function_does_not_decide_alone)
{
	const struct program program = {
		.functions = 8,
		.size = { 20000, 500, 500, 500, 500, 500, 500, 500 },
		.factor = { 1.2 },
		.spread = 0.3,
	};
	struct outcome outcome = outcome_of(&program);

	assert_true(outcome.used >= PER_TRIAL);
	assert_change(&outcome, 0.2, 0.01);
}

TEST(a_function_that_varies_for_itself_does_not_blur_it)
{
	const struct program program = { .functions = 6,
					 .size = { 5000, 2000, 2000, 2000, 2000, 2000 },
					 .wild = 0.4,
					 .spread = 0.3 };
	struct outcome outcome = outcome_of(&program);

	assert_true(outcome.used >= PER_TRIAL);
	assert_true(outcome.largest < 0.03);
}

/* It is what most others say, and says little itself: no reference for them. */
TEST(the_functions_that_vary_least_tell_the_shift)
{
	const struct program program = { .functions = 6,
					 .size = { 2000, 8000, 8000, 8000, 100, 100 },
					 .factor = { 1, 1.2 },
					 .wild = 0.07,
					 .spread = 0.3 };
	struct outcome outcome = outcome_of(&program);

	assert_true(outcome.used >= PER_TRIAL);
	assert_true(outcome.largest < 0.02);
}

TEST(what_varies_in_nothing_but_its_pace_is_the_same)
{
	const struct program program = { .functions = 5, .size = { 5, 4, 3, 2, 1 }, .spread = 0.3 };
	struct speed_factor speed;

	need_distributions();
	draw(&program, RUNS);
	for (size_t run = 0; run < COLUMNS; run++)
		for (size_t i = 0; i < program.functions; i++)
			values[i * COLUMNS + run] = program.size[i] * (run % RUNS % 2 ? 2 : 1) *
						    (i || run < RUNS ? 1 : 3);
	assert_int_equal(find(&program, RUNS, 0, &speed), 0);
	assert_non_null(speed.of_run);
	simulated_near(mean_normalized(&speed, RUNS) / mean_normalized(&speed, 0), 3, 1e-9);
	speed_factor_free(&speed);
}

TEST(a_quiet_machine_needs_none)
{
	const struct program program = { .functions = 4,
					 .size = { 2500, 2500, 3500, 1500 },
					 .factor = { 1.08 } };
	struct outcome outcome = outcome_of(&program);

	assert_int_equal(outcome.used, 0);
	assert_true(outcome.alike <= TRIALS / 50);
}

TEST(functions_without_a_common_pace_have_none)
{
	struct program program = { .functions = 1, .size = { 10000 }, .wild = 0.3 };

	assert_int_equal(outcome_of(&program).used, 0);
	program.functions = 5;
	for (size_t i = 1; i < program.functions; i++)
		program.size[i] = 2000;
	assert_true(outcome_of(&program).used <= TRIALS / 20);
}

/* Two or three functions: nobody knows which of them changed. */
TEST(too_few_functions_have_none)
{
	const struct program program = {
		.functions = 3, .size = { 4000, 4000, 2000 }, .factor = { 1.3, 1.3 }, .spread = 0.3
	};

	assert_int_equal(outcome_of(&program).used, 0);
}

TEST(where_everything_became_slower_it_is_the_program)
{
	const struct program program = {
		.functions = 4, .size = { 2500, 2500, 3500, 1500 }, .spread = 0.1, .alike = 1.5
	};
	struct outcome outcome = outcome_of(&program);

	assert_int_equal(outcome.used, 0);
	assert_true(outcome.alike >= PER_TRIAL);
}

TEST(where_most_functions_changed_there_is_nothing_to_compare_them_with)
{
	struct program program = { .functions = 12, .spread = 0.1 };

	for (size_t i = 0; i < program.functions; i++) {
		program.size[i] = 2000;
		program.factor[i] = 1 + 0.1 * (double)i;
	}
	struct outcome outcome = outcome_of(&program);

	assert_int_equal(outcome.used + outcome.alike, 0);
}

TEST(one_run_a_side_has_none)
{
	const struct program program = {
		.functions = 4, .size = { 2500, 2500, 3500, 1500 }, .spread = 0.3, .runs = 1
	};

	assert_int_equal(outcome_of(&program).used, 0);
}

TEST(a_run_without_anything_has_none)
{
	const struct program program = { .functions = 4,
					 .size = { 2500, 2500, 3500, 1500 },
					 .spread = 0.3 };
	struct speed_factor speed;

	draw(&program, RUNS);
	for (size_t i = 0; i < program.functions; i++)
		values[i * COLUMNS + 3] = 0;
	assert_int_equal(find(&program, RUNS, 1, &speed), 0);
	assert_null(speed.of_run);
}

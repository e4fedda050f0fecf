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

#define FOUR .functions = 4, .size = { 2500, 2500, 3500, 1500 }

/* Programs whose speed factor is found, and the change of their first function normalized. */
TEST(it_is_found_where_functions_share_it)
{
	static const struct {
		const char *name;
		struct {
			double change, distance; /* it is within this distance of that; 0: any */
			double largest;		 /* outcome.largest is below */
		} expected;
		struct program program;
	} rows[] = {
		{ "equal programs: what the machine did",
		  { 0, 0.002, 0.02 },
		  { FOUR, .spread = 0.3 } },
		{ "a function that changed takes no part in it",
		  { 0.08, 0.005, 1 },
		  { FOUR, .factor = { 1.08 }, .spread = 0.3 } },
		{ "moved time is seen on both ends",
		  { -0.2, 0.005, 1 },
		  { FOUR, .factor = { 0.8, 1, 1 + 500 / 3500. }, .spread = 0.3 } },
		{ "a large function does not decide alone: others have a tenth of the samples",
		  { 0.2, 0.01, 1 },
		  { 8, { 20000, 500, 500, 500, 500, 500, 500, 500 }, { 1.2 }, .spread = 0.3 } },
		{ "a function that varies for itself does not blur it",
		  { 0, 0, 0.03 },
		  { 6, { 5000, 2000, 2000, 2000, 2000, 2000 }, .wild = 0.4, .spread = 0.3 } },
		/* the first function says what most others say, and says little itself */
		{ "the functions that vary least tell the shift",
		  { 0, 0, 0.02 },
		  { 6,
		    { 2000, 8000, 8000, 8000, 100, 100 },
		    { 1, 1.2 },
		    .wild = 0.07,
		    .spread = 0.3 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct outcome outcome = outcome_of(&rows[i].program);

		print_message("%s\n", rows[i].name);
		assert_true(outcome.used >= (i ? PER_TRIAL : TRIALS * 95 / 100));
		assert_true(outcome.largest < rows[i].expected.largest);
		assert_true(outcome.slowest > 2 && outcome.slowest < 4);
		if (rows[i].expected.distance > 0)
			simulated_near(outcome.change, rows[i].expected.change,
				       rows[i].expected.distance);
	}
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

TEST(there_is_none_where_nothing_shares_it_or_nobody_knows)
{
	static const struct {
		const char *name;
		bool alike; /* it is said that most functions changed alike */
		struct program program;
	} rows[] = {
		{ "a quiet machine", false, { FOUR, .factor = { 1.08 } } },
		{ "too few functions: nobody knows which of them changed",
		  false,
		  { 3, { 4000, 4000, 2000 }, { 1.3, 1.3 }, .spread = 0.3 } },
		{ "everything became slower: it is the program",
		  true,
		  { FOUR, .spread = 0.1, .alike = 1.5 } },
		{ "one run a side", false, { FOUR, .spread = 0.3, .runs = 1 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct outcome outcome = outcome_of(&rows[i].program);

		print_message("%s\n", rows[i].name);
		assert_int_equal(outcome.used, 0);
		assert_in_range(outcome.alike, rows[i].alike ? PER_TRIAL : 0,
				rows[i].alike ? TRIALS : TRIALS / 50);
	}
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

TEST(a_run_without_anything_has_none)
{
	const struct program program = { FOUR, .spread = 0.3 };
	struct speed_factor speed;

	draw(&program, RUNS);
	for (size_t i = 0; i < program.functions; i++)
		values[i * COLUMNS + 3] = 0;
	assert_int_equal(find(&program, RUNS, 1, &speed), 0);
	assert_null(speed.of_run);
}

/*
 * In two steps.  First a base is chosen: within each side all runs have the same functions, so a
 * run's speed factor is the median over functions of their values relative to the mean of the side.
 * With it divided out, the sides differ by a shift, again a median over functions, and by the
 * functions that changed.  What is left without these is the base.  Then the speed factor is the
 * sum of the base in each run: without a median, which is drawn towards the side of a change, and
 * with its chance in the variance between runs that it leaves in the functions.
 *
 * Medians over functions are weighted by their size, so that small ones with few samples do not
 * decide; but the weight has an end, so that a large one that changed does not decide alone.  For
 * the shift a function that varies for itself has less weight.
 */
#include "runtime/compare/statistics/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define VOTE_MOST    0.05 /* of the sum of values */
#define VOTERS_LEAST 3.5  /* functions of equal votes */
#define BASE_LEAST   0.45 /* of the votes: functions without a change */
#define CHANGED_MOST 0.3  /* of the votes: that changed in one direction */
#define WILD	     4.0  /* times the common deviation: a function that varies for itself */
#define GAIN_LEAST                                                                     \
	1.5 /* the common deviation without the speed factor, relative to that with it \
	     */
#define SHIFT_MATTERS  0.01 /* half an interval of the shift: speed factor below it is no matter */
#define SAME_WEIGHT(x) (1e-9 * (x))

/* One value with its weight. */
struct vote {
	double value;
	double weight;
};

struct finding {
	const struct speed_factor_question *question;
	size_t columns;	  /* runs of both sides */
	double *vote;	  /* by function */
	double *adjusted; /* like question->value, divided by a speed factor */
	double *run;	  /* by run: the speed factor */
	double *chance;	  /* by function, of the last test */
	double *deviation;
	bool *significant;
	bool *base;
	struct vote *list; /* room for all functions */
};

static double mean_of(const struct finding *finding, const double *row, int side)
{
	const size_t *runs = finding->question->test.runs;

	return statistics_mean(side ? row + runs[0] : row, runs[side]);
}

static int by_value(const void *left, const void *right)
{
	const struct vote *a = left, *b = right;

	return (a->value > b->value) - (a->value < b->value);
}

/* Returns the weighted median of the list; between two of its values, their mean. */
static double median(struct vote *list, size_t count)
{
	double sum = 0, below = 0;

	for (size_t i = 0; i < count; i++)
		sum += list[i].weight;
	qsort(list, count, sizeof(*list), by_value);
	for (size_t i = 0; i < count; i++) {
		below += list[i].weight;
		if (i + 1 < count && fabs(below - sum / 2) <= SAME_WEIGHT(sum))
			return (list[i].value + list[i + 1].value) / 2;
		if (below > sum / 2)
			return list[i].value;
	}
	return NAN;
}

/* Returns whether there are enough functions with a say. */
static bool share_votes(struct finding *finding)
{
	const struct speed_factor_question *question = finding->question;
	double all = 0, sum = 0, squares = 0;

	for (size_t i = 0; i < question->functions; i++) {
		finding->vote[i] =
			statistics_mean(question->value + i * finding->columns, finding->columns);
		all += finding->vote[i];
	}
	for (size_t i = 0; i < question->functions; i++) {
		if (finding->vote[i] > VOTE_MOST * all)
			finding->vote[i] = VOTE_MOST * all;
		sum += finding->vote[i];
		squares += finding->vote[i] * finding->vote[i];
	}
	return sum * sum >= VOTERS_LEAST * squares && squares > 0;
}

/* Divide the values of runs from `first` on by their factors, which have a mean of 1 then.  Returns
 * false if there is a run without a speed factor. */
static bool divide(struct finding *finding, size_t first, size_t count)
{
	const struct speed_factor_question *question = finding->question;
	double mean = statistics_mean(finding->run + first, count);

	for (size_t run = first; run < first + count; run++) {
		if (!(finding->run[run] > 0) || isinf(finding->run[run]))
			return false;
		finding->run[run] /= mean;
		for (size_t i = 0; i < question->functions; i++)
			finding->adjusted[i * finding->columns + run] =
				question->value[i * finding->columns + run] / finding->run[run];
	}
	return true;
}

/* Divide each side by the speed factors of its own runs. */
static bool divide_within(struct finding *finding)
{
	const struct speed_factor_question *question = finding->question;
	size_t first = 0;
	bool found = true;

	for (int side = 0; side < 2 && found; first += question->test.runs[side++]) {
		for (size_t run = first; run < first + question->test.runs[side]; run++) {
			size_t count = 0;

			for (size_t i = 0; i < question->functions; i++) {
				const double *row = question->value + i * finding->columns;
				double mean = mean_of(finding, row, side);

				if (mean > 0)
					finding->list[count++] =
						(struct vote){ row[run] / mean, finding->vote[i] };
			}
			finding->run[run] = median(finding->list, count);
		}
		found = divide(finding, first, question->test.runs[side]);
	}
	return found;
}

/* Returns the relative deviation within the sides, which no change between them can alter;
 * INFINITY for a function that a side lacks. */
static double deviation_of(const struct finding *finding, const double *row)
{
	const size_t *runs = finding->question->test.runs;
	double squares = 0;

	for (int side = 0; side < 2; side++) {
		double mean = mean_of(finding, row, side);

		if (!(mean > 0))
			return INFINITY;
		for (size_t i = 0; i < runs[side]; i++) {
			double rest = row[side ? runs[0] + i : i] / mean - 1;

			squares += rest * rest;
		}
	}
	return sqrt(squares / (double)(runs[0] + runs[1] - 2));
}

/* Returns the common deviation of the functions' values. */
static double find_deviations(struct finding *finding, const double *value)
{
	size_t count = finding->question->functions;

	for (size_t i = 0; i < count; i++) {
		finding->deviation[i] = deviation_of(finding, value + i * finding->columns);
		finding->list[i] = (struct vote){ finding->deviation[i], finding->vote[i] };
	}
	return median(finding->list, count);
}

/* Mark the functions of which a change is significant, but for `shift`, by which the side before is
 * multiplied.  Returns 0 or -ENOMEM. */
static int test(struct finding *finding, double shift)
{
	const struct speed_factor_question *question = finding->question;

	for (size_t i = 0; i < question->functions; i++) {
		double *row = finding->adjusted + i * finding->columns;
		struct statistics_change change;

		for (size_t run = 0; run < question->test.runs[0]; run++)
			row[run] *= shift;
		statistics_compare_row(&question->test, row, &change);
		finding->chance[i] = change.chance;
	}
	return statistics_discover(finding->chance, question->functions, question->test.alpha,
				   finding->significant) < 0
		       ? -ENOMEM
		       : 0;
}

/* Returns the shift between the sides, with the speed factors within each divided out.  A function
 * that varies more says less about it. */
static double find_shift(struct finding *finding, double common)
{
	double least = common > 0 ? common / 2 : 1;

	for (size_t i = 0; i < finding->question->functions; i++) {
		const double *row = finding->adjusted + i * finding->columns;
		double before = mean_of(finding, row, 0), deviation = finding->deviation[i];

		finding->list[i] =
			(struct vote){ before > 0 ? mean_of(finding, row, 1) / before : INFINITY,
				       finding->vote[i] / (deviation > least ? deviation : least) };
	}
	return median(finding->list, finding->question->functions);
}

/* Choose the base with the speed factors within each side divided out. */
static int choose_base(struct finding *finding)
{
	double common = find_deviations(finding, finding->adjusted);
	int err = test(finding, find_shift(finding, common));

	for (size_t i = 0; i < finding->question->functions && !err; i++)
		finding->base[i] =
			!finding->significant[i] && finding->deviation[i] <= WILD * common;
	return err;
}

/* Divide all runs by what they spent in the base. */
static bool divide_by_base(struct finding *finding)
{
	for (size_t run = 0; run < finding->columns; run++) {
		finding->run[run] = 0;
		for (size_t i = 0; i < finding->question->functions; i++)
			if (finding->base[i])
				finding->run[run] +=
					finding->question->value[i * finding->columns + run];
	}
	return divide(finding, 0, finding->columns);
}

/* Returns whether enough functions are without a change for the others to be compared with. */
static bool base_holds(const struct finding *finding)
{
	double same = 0, less = 0, more = 0, sum;

	for (size_t i = 0; i < finding->question->functions; i++) {
		const double *row = finding->adjusted + i * finding->columns;

		if (!finding->significant[i])
			same += finding->vote[i];
		else if (mean_of(finding, row, 1) > mean_of(finding, row, 0))
			more += finding->vote[i];
		else
			less += finding->vote[i];
	}
	sum = same + less + more;
	return same >= BASE_LEAST * sum && less <= CHANGED_MOST * sum && more <= CHANGED_MOST * sum;
}

static void compare_factors(const struct finding *finding, struct speed_factor *speed)
{
	struct statistics_test test = finding->question->test;
	double least = INFINITY, most = 0;

	for (size_t run = 0; run < finding->columns; run++) {
		least = finding->run[run] < least ? finding->run[run] : least;
		most = finding->run[run] > most ? finding->run[run] : most;
	}
	speed->slowest = most / least;
	test.per_sample[0] = test.per_sample[1] = 0; /* factors are exact */
	statistics_compare_row(&test, finding->run, &speed->shift);
}

/* Returns whether the speed factor varies so much that it matters, and explains how functions vary.
 */
static bool explains(struct finding *finding, const struct speed_factor *speed)
{
	double width = speed->shift.relative_high - speed->shift.relative_low;
	double without = find_deviations(finding, finding->question->value);

	return width > 2 * SHIFT_MATTERS &&
	       without >= GAIN_LEAST * find_deviations(finding, finding->adjusted);
}

/* Returns 1 if the speed factor is to be used, 0 if not, or -ENOMEM. */
static int find(struct finding *finding, struct speed_factor *speed)
{
	int err;

	if (!share_votes(finding) || !divide_within(finding))
		return 0;
	err = choose_base(finding);
	if (err)
		return err;
	if (!divide_by_base(finding))
		return 0;
	compare_factors(finding, speed);
	err = test(finding, 1);
	if (err || !base_holds(finding))
		return err;
	if (speed->shift.chance < finding->question->test.alpha) {
		speed->alike = fabs(speed->shift.relative) >= SHIFT_MATTERS;
		return 0;
	}
	return explains(finding, speed);
}

static bool has_variance(const struct speed_factor_question *question)
{
	return question->test.runs[0] > 1 && question->test.runs[1] > 1 && question->functions;
}

int speed_factor_find(const struct speed_factor_question *question, struct speed_factor *speed)
{
	size_t functions = question->functions,
	       columns = question->test.runs[0] + question->test.runs[1];
	struct finding finding = { .question = question, .columns = columns };
	int found = -ENOMEM;

	*speed = (struct speed_factor){ 0 };
	if (!has_variance(question))
		return 0;
	finding.vote = calloc(functions, sizeof(*finding.vote));
	finding.adjusted = calloc(functions * columns, sizeof(*finding.adjusted));
	finding.run = calloc(columns, sizeof(*finding.run));
	finding.chance = calloc(functions, sizeof(*finding.chance));
	finding.deviation = calloc(functions, sizeof(*finding.deviation));
	finding.significant = calloc(functions, sizeof(*finding.significant));
	finding.base = calloc(functions, sizeof(*finding.base));
	finding.list = calloc(functions, sizeof(*finding.list));
	if (finding.vote && finding.adjusted && finding.run && finding.chance &&
	    finding.deviation && finding.significant && finding.base && finding.list)
		found = find(&finding, speed);
	if (found > 0) {
		speed->of_run = finding.run;
		finding.run = NULL;
	}
	free(finding.vote);
	free(finding.adjusted);
	free(finding.run);
	free(finding.chance);
	free(finding.deviation);
	free(finding.significant);
	free(finding.base);
	free(finding.list);
	return found < 0 ? found : 0;
}

void speed_factor_free(struct speed_factor *speed)
{
	free(speed->of_run);
	*speed = (struct speed_factor){ 0 };
}

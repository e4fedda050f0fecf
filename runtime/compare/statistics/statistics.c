/*
 * With a and b the means, va and vb their variances and c their covariance, the variance of b - r a
 * is vb - 2 r c + r^2 va.  The interval of the change is that of r = 1; Fieller's interval of b / a
 * holds all r for which b - r a is within t standard errors of 0.
 */
#include "runtime/compare/statistics/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "runtime/profile/base/maths.h"

/* The means of two groups as estimates. */
struct means {
	double mean[2];
	double variance[2]; /* of the mean */
	double covariance;
	double freedom; /* degrees of freedom of the variance of their difference */
	double order;	/* chance that equal groups are in order: all of one before all of the other
			 */
};

double statistics_mean(const double *value, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += value[i] - value[0];
	return value[0] + sum / (double)count;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double variance_of(const double *value, size_t count)
{
	double mean = statistics_mean(value, count), sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (value[i] - mean) * (value[i] - mean);
	return sum / (double)(count - 1);
}

/* Of the pairs' differences.  Variances and a covariance would not give 0 where these are equal. */
static double variance_of_pairs(const double *before, const double *after, size_t count)
{
	double first = after[0] - before[0], sum = 0, squares = 0, mean;

	for (size_t i = 0; i < count; i++)
		sum += after[i] - before[i] - first;
	mean = sum / (double)count;
	for (size_t i = 0; i < count; i++) {
		double rest = after[i] - before[i] - first - mean;

		squares += rest * rest;
	}
	return squares / (double)(count - 1);
}

/* A number of samples is Poisson's: its variance is its mean.  But the whole of a run is sampled in
 * equal steps and varies only as the run does: so of a part the variance is that of a binomial, and
 * of the whole that of an end between two samples.  Of one run each nothing else is known of
 * variation, so it stays Poisson's.
 *
 * That of groups of equal size is of their common mean, so that a group that has nothing by chance
 * does not look exact.  Where sizes differ, the common mean is nearly the larger group's; a group
 * has at least the variance of its own mean then. */
void statistics_sample(struct statistics_group group[2], const double per_sample[2], double whole)
{
	double mean[2], count[2], common;
	bool one_each = group[0].count == 1 && group[1].count == 1;
	double other = 1; /* share of the rest of the run */

	for (int i = 0; i < 2; i++) {
		count[i] = (double)group[i].count;
		mean[i] = statistics_mean(group[i].value, group[i].count);
	}
	common = (count[0] * mean[0] + count[1] * mean[1]) / (count[0] + count[1]);
	if (!one_each)
		other = whole > 0 ? larger(1 - common / whole, 0) : 0;
	for (int i = 0; i < 2; i++) {
		double expected =
			group[0].count == group[1].count ? common : larger(common, mean[i]);

		group[i].sampling = per_sample[i] *
				    larger(other * expected, smaller(per_sample[i] / 4, expected));
	}
}

enum statistics_method statistics_method(size_t before, size_t after, bool paired)
{
	if (before < 2 && after < 2)
		return STATISTICS_SAMPLING;
	if (before < 2 || after < 2)
		return STATISTICS_ONE;
	return paired && before == after ? STATISTICS_PAIRED : STATISTICS_WELCH;
}

const char *statistics_method_name(enum statistics_method method)
{
	static const char *const names[] = {
		[STATISTICS_WELCH] = "Welch's t test",
		[STATISTICS_PAIRED] = "t test of pairs",
		[STATISTICS_ONE] = "t test of one run against several",
		[STATISTICS_SAMPLING] = "sampling alone",
	};

	return names[method];
}

/* On both sides: twice one of the ways to choose `first` of all. */
static double order_of(size_t first, size_t second)
{
	double ways = 1;

	for (size_t i = 1; i <= first; i++)
		ways *= (double)(second + i) / (double)i;
	return ways > 2 ? 2 / ways : 1;
}

/* Welch and Satterthwaite's degrees of freedom. */
static double freedom_of(const double variance[2], const double freedom[2])
{
	double sum = variance[0] + variance[1];
	double parts =
		variance[0] * variance[0] / freedom[0] + variance[1] * variance[1] / freedom[1];

	return parts > 0 ? sum * sum / parts : INFINITY;
}

static void take_apart(const struct statistics_group group[2], struct means *means)
{
	double freedom[2];

	for (int i = 0; i < 2; i++) {
		double count = (double)group[i].count;

		means->variance[i] =
			larger(variance_of(group[i].value, group[i].count), group[i].sampling) /
			count;
		freedom[i] = count - 1;
	}
	means->freedom = freedom_of(means->variance, freedom);
	means->order = order_of(group[0].count, group[1].count);
}

/* The variance of the difference is that of the pairs' differences, but never less than sampling
 * explains; the covariance follows from it. */
static void take_pairs(const struct statistics_group group[2], struct means *means)
{
	size_t count = group[0].count;
	double difference = larger(variance_of_pairs(group[0].value, group[1].value, count),
				   group[0].sampling + group[1].sampling);

	for (int i = 0; i < 2; i++)
		means->variance[i] = larger(variance_of(group[i].value, count), group[i].sampling) /
				     (double)count;
	means->covariance =
		(means->variance[0] + means->variance[1] - difference / (double)count) / 2;
	means->freedom = (double)(count - 1);
	for (means->order = 2; count; count--)
		means->order /= 2;
}

/* The single run varies as the others do. */
static void take_one(const struct statistics_group group[2], struct means *means)
{
	int many = group[1].count > 1;
	double variance = larger(variance_of(group[many].value, group[many].count),
				 larger(group[0].sampling, group[1].sampling));

	for (int i = 0; i < 2; i++)
		means->variance[i] = variance / (double)group[i].count;
	means->freedom = (double)(group[many].count - 1);
	means->order = order_of(group[0].count, group[1].count);
}

/* One exact value each says nothing about how they vary. */
static void take_sampling(const struct statistics_group group[2], struct means *means)
{
	bool known = group[0].sampling > 0 || group[1].sampling > 0;

	for (int i = 0; i < 2; i++)
		means->variance[i] = known ? group[i].sampling : NAN;
	means->freedom = INFINITY;
}

/* Fieller's interval of the ratio r = mean[1] / mean[0], less 1: all r of which two r^2 - 2 one r +
 * zero is not above 0.  If mean[0] may be 0 but mean[1] not, it has a lower bound only: the other
 * part of the solution is below 0, where no ratio is. */
static void fill_relative(const struct means *means, double t, struct statistics_change *change)
{
	double a = means->mean[0], b = means->mean[1], square = t * t;
	double two = a * a - square * means->variance[0];
	double one = a * b - square * means->covariance;
	double zero = b * b - square * means->variance[1];
	double root = sqrt(larger(one * one - two * zero, 0));

	change->relative = a > 0 ? b / a - 1 : b > 0 ? INFINITY : 0;
	change->relative_low = -INFINITY;
	change->relative_high = INFINITY;
	if (isnan(change->low)) {
		change->relative_low = change->relative_high = NAN;
	} else if (two > 0) {
		change->relative_low = larger((one - root) / two - 1, -1);
		change->relative_high = (one + root) / two - 1;
	} else if (!(a > 0) && !(b > 0)) {
		change->relative_low = change->relative_high = 0;
	} else if (zero > 0) {
		change->relative_low = one + root > 0 ? zero / (one + root) - 1 : INFINITY;
	}
}

/* Values that do not vary at all are coarse ones, such as numbers of faults.  All that is known of
 * them is their order; if that may be chance, nothing is known of the width of the interval. */
static void fill(const struct means *means, double alpha, struct statistics_change *change)
{
	double variance = means->variance[0] + means->variance[1] - 2 * means->covariance;
	double error = isnan(variance) ? NAN : sqrt(larger(variance, 0));
	double t = maths_t_above(alpha / 2, means->freedom);

	for (int i = 0; i < 2; i++)
		change->mean[i] = means->mean[i];
	change->change = means->mean[1] - means->mean[0];
	if (isnan(t * error))
		change->chance = NAN;
	else if (error > 0)
		change->chance = maths_t_chance(change->change / error, means->freedom);
	else
		change->chance = fabs(change->change) > 0 ? means->order : 1;
	if (error <= 0 && fabs(change->change) > 0 && change->chance >= alpha)
		error = NAN;
	change->low = change->change - t * error;
	change->high = change->change + t * error;
	fill_relative(means, t, change);
}

static bool fits(const struct statistics_group group[2], enum statistics_method method)
{
	size_t before = group[0].count, after = group[1].count;

	if (!before || !after)
		return false;
	if (method == STATISTICS_PAIRED)
		return before == after && before > 1;
	if (method == STATISTICS_WELCH)
		return before > 1 && after > 1;
	return method == STATISTICS_SAMPLING || (before == 1) != (after == 1);
}

int statistics_compare(const struct statistics_group group[2], enum statistics_method method,
		       double alpha, struct statistics_change *change)
{
	struct means means = { .covariance = 0 };

	if (!fits(group, method))
		return -EINVAL;
	for (int i = 0; i < 2; i++)
		means.mean[i] = statistics_mean(group[i].value, group[i].count);
	switch (method) {
	case STATISTICS_WELCH:
		take_apart(group, &means);
		break;
	case STATISTICS_PAIRED:
		take_pairs(group, &means);
		break;
	case STATISTICS_ONE:
		take_one(group, &means);
		break;
	case STATISTICS_SAMPLING:
		take_sampling(group, &means);
		break;
	}
	fill(&means, alpha, change);
	return maths_has_distributions() ? 0 : -ELIBACC;
}

void statistics_compare_row(const struct statistics_test *test, const double *row,
			    struct statistics_change *change)
{
	struct statistics_group group[2] = { { row, test->runs[0], 0 },
					     { row + test->runs[0], test->runs[1], 0 } };

	statistics_sample(group, test->per_sample, test->whole);
	statistics_compare(group, test->method, test->alpha, change);
}

struct ranked {
	double chance;
	size_t index;
};

static int by_chance(const void *a, const void *b)
{
	const struct ranked *first = a, *second = b;

	return (first->chance > second->chance) - (first->chance < second->chance);
}

long statistics_discover(const double *chance, size_t count, double rate, bool *found)
{
	struct ranked *ranked = calloc(count ? count : 1, sizeof(*ranked));
	size_t known = 0, marked = 0;

	if (!ranked)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		found[i] = false;
		if (!isnan(chance[i]))
			ranked[known++] = (struct ranked){ chance[i], i };
	}
	qsort(ranked, known, sizeof(*ranked), by_chance);
	for (size_t i = 0; i < known; i++)
		if (ranked[i].chance <= rate * (double)(i + 1) / (double)known)
			marked = i + 1;
	for (size_t i = 0; i < marked; i++)
		found[ranked[i].index] = true;
	free(ranked);
	return (long)marked;
}

/* Two-sided chance of the normal distribution that is spent at part t: 2 - 2 Phi(z / sqrt(t)). */
static double spent(double alpha, double part)
{
	double z = maths_t_above(alpha / 2, INFINITY);

	return part > 0 ? maths_erfc(z / sqrt(2 * part)) : 0;
}

double statistics_spend(double alpha, double from, double to)
{
	return spent(alpha, to) - spent(alpha, from);
}

int statistics_drift(const double *value, size_t count, struct statistics_trend *trend)
{
	double middle = ((double)count - 1) / 2, mean, up = 0, across = 0, left = 0, slope, error;

	if (count < 4)
		return -EINVAL;
	if (!maths_has_distributions())
		return -ELIBACC;
	mean = statistics_mean(value, count);
	if (!(mean > 0))
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		up += ((double)i - middle) * (value[i] - mean);
		across += ((double)i - middle) * ((double)i - middle);
	}
	slope = up / across;
	for (size_t i = 0; i < count; i++) {
		double rest = value[i] - mean - slope * ((double)i - middle);

		left += rest * rest;
	}
	error = sqrt(left / (double)(count - 2) / across);
	trend->relative = slope * (double)(count - 1) / mean;
	trend->chance = error > 0 ? maths_t_chance(slope / error, (double)(count - 2))
				  : (fabs(slope) > 0 ? 0 : 1);
	return 0;
}

long statistics_outliers(const double *value, size_t count)
{
	double *sorted = calloc(count ? count : 1, sizeof(*sorted));
	double median, deviation;
	long found = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sorted[i] = value[i];
	median = count ? maths_median(sorted, count) : 0;
	for (size_t i = 0; i < count; i++)
		sorted[i] = fabs(value[i] - median);
	deviation = count ? maths_median(sorted, count) : 0;
	for (size_t i = 0; count >= 5 && deviation > 0 && i < count; i++)
		found += 0.6745 * fabs(value[i] - median) / deviation > 3.5;
	free(sorted);
	return found;
}

/*
 * What the values of one group tell by themselves: a drift in the order of time, and outliers.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "runtime/profile/base/maths.h"
#include "runtime/compare/statistics/statistics.h"

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

/* Sorts the values. */
static double median_of(double *value, size_t count)
{
	qsort(value, count, sizeof(*value), maths_ascending);
	return (value[(count - 1) / 2] + value[count / 2]) / 2;
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
	median = count ? median_of(sorted, count) : 0;
	for (size_t i = 0; i < count; i++)
		sorted[i] = fabs(value[i] - median);
	deviation = count ? median_of(sorted, count) : 0;
	for (size_t i = 0; count >= 5 && deviation > 0 && i < count; i++)
		found += 0.6745 * fabs(value[i] - median) / deviation > 3.5;
	free(sorted);
	return found;
}

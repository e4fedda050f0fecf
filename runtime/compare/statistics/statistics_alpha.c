/*
 * How one chance of a false alarm is shared: among many changes, and among looks at growing data.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "runtime/profile/base/maths.h"
#include "runtime/compare/statistics/statistics.h"

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

/*
 * Functions of libm, and distributions of R's mathematical library (Debian: r-mathlib), which few
 * commands need.  Each library is loaded at the first call.  Functions that compilers inline, such
 * as fabs() and (with -fno-math-errno) sqrt(), come from <math.h>.
 */
#ifndef RUNTIME_PROFILE_BASE_MATHS_H
#define RUNTIME_PROFILE_BASE_MATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Like erfc(3), floor(3), log(3), log10(3), log1p(3) and pow(3); NaN if libm cannot be loaded. */
double maths_erfc(double x);
double maths_floor(double x);
double maths_log(double x);
double maths_log10(double x);
double maths_log1p(double x);
double maths_pow(double base, double exponent);

/* Returns whether R's library is there; the functions below give NaN without it. */
bool maths_has_distributions(void);

/* Returns what to tell if it is not, with the packages that have it; without a full stop. */
const char *maths_no_distributions(void);

/* Student's t distribution with `freedom` degrees of freedom (qt() and pt() of R): the quantile
 * that a share of `chance` lies above, 0 < chance < 1; and the chance of a value as far from 0 as
 * t, on both sides.  INFINITY as the freedom gives the normal distribution. */
double maths_t_above(double chance, double freedom);
double maths_t_chance(double t, double freedom);

/* Rounds up to a whole number.  A negative number gives 0, one that is too large gives the largest
 * uint64_t.  Needs no library. */
uint64_t maths_up(double x);

/* Compares two doubles, for qsort(3): the smallest comes first. */
int maths_ascending(const void *a, const void *b);

/* Returns the median of at least one value, and sorts them. */
double maths_median(double *value, size_t count);

/* Returns part / whole in percent; 0 if whole is 0. */
static inline double maths_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

#endif

/*
 * Functions of libm, which few commands need.  The C library has them in a separate library, which
 * is loaded at the first call.  Functions that compilers inline, such as fabs() and (with
 * -fno-math-errno) sqrt(), come from <math.h>.
 */
#ifndef RUNTIME_FOLD_BASE_MATHS_H
#define RUNTIME_FOLD_BASE_MATHS_H

#include <stdint.h>

/* Like erfc(3), floor(3), log10(3) and pow(3); NaN if libm cannot be loaded. */
double maths_erfc(double x);
double maths_floor(double x);
double maths_log10(double x);
double maths_pow(double base, double exponent);

/* Rounds up to a whole number.  A negative number gives 0, one that is too large gives the largest
 * uint64_t.  Needs no library. */
uint64_t maths_up(double x);

/* Returns part / whole in percent; 0 if whole is 0. */
static inline double maths_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

#endif

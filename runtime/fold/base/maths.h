/*
 * Functions of libm that few answers need: the C library has them in a library of its own, which
 * is loaded when the first is called.  What compilers make no call of, such as fabs and (with
 * -fno-math-errno) sqrt, comes from <math.h>.
 */
#ifndef RUNTIME_FOLD_BASE_MATHS_H
#define RUNTIME_FOLD_BASE_MATHS_H

#include <stdint.h>

/* As erfc(3), floor(3), log10(3) and pow(3) say; NaN if libm cannot be loaded. */
double maths_erfc(double x);
double maths_floor(double x);
double maths_log10(double x);
double maths_pow(double base, double exponent);

/* The whole number next above, or the number itself; the nearest there is for what is negative or
 * too large.  Needs no library. */
uint64_t maths_up(double x);

#endif

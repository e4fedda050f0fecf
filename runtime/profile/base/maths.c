/*
 * The libraries are loaded at first use.  Without libm every result is NAN, which no caller prints.
 * R builds its library without a version, so Fedora has it like that; Debian gives it one.
 */
#include "runtime/profile/base/maths.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/profile/base/library.h"

#define LIBRARY		      "libm.so.6"
#define LIBRARY_R	      "libRmath.so.1"
#define LIBRARY_R_UNVERSIONED "libRmath.so"

/* R's: x or a probability, degrees of freedom, the lower tail, the probability's logarithm. */
typedef double t_function(double x, double freedom, int lower, int logarithm);

static t_function *t_quantile_of, *t_probability_of;
static __typeof__(erfc) *erfc_of;
static __typeof__(floor) *floor_of;
static __typeof__(log) *log_of;
static __typeof__(log10) *log10_of;
static __typeof__(log1p) *log1p_of;
static __typeof__(pow) *pow_of;

static bool open_library(void)
{
	static const struct library_entry entries[] = {
		{ "erfc", (void **)&erfc_of },
		{ "floor", (void **)&floor_of },
		{ "log", (void **)&log_of },
		{ "log10", (void **)&log10_of },
		{ "log1p", (void **)&log1p_of },
		{ "pow", (void **)&pow_of },
		{ 0 },
	};
	static bool tried, opened;

	if (!tried)
		opened = !library_open(LIBRARY, entries);
	tried = true;
	return opened;
}

bool maths_has_distributions(void)
{
	static const struct library_entry entries[] = {
		{ "qt", (void **)&t_quantile_of },
		{ "pt", (void **)&t_probability_of },
		{ 0 },
	};
	static bool tried, opened;

	if (!tried)
		opened = !library_open(LIBRARY_R, entries) ||
			 !library_open(LIBRARY_R_UNVERSIONED, entries);
	tried = true;
	return opened;
}

const char *maths_no_distributions(void)
{
	return LIBRARY_R " cannot be loaded (Debian: r-mathlib, Fedora: libRmath)";
}

int maths_ascending(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

double maths_median(double *value, size_t count)
{
	qsort(value, count, sizeof(*value), maths_ascending);
	return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

double maths_t_above(double chance, double freedom)
{
	return maths_has_distributions() ? t_quantile_of(chance, freedom, 0, 0) : NAN;
}

double maths_t_chance(double t, double freedom)
{
	return maths_has_distributions() ? 2 * t_probability_of(fabs(t), freedom, 0, 0) : NAN;
}

double maths_erfc(double x)
{
	return open_library() ? erfc_of(x) : NAN;
}

double maths_floor(double x)
{
	return open_library() ? floor_of(x) : NAN;
}

double maths_log(double x)
{
	return open_library() ? log_of(x) : NAN;
}

double maths_log10(double x)
{
	return open_library() ? log10_of(x) : NAN;
}

double maths_log1p(double x)
{
	return open_library() ? log1p_of(x) : NAN;
}

double maths_pow(double base, double exponent)
{
	return open_library() ? pow_of(base, exponent) : NAN;
}

uint64_t maths_up(double x)
{
	uint64_t whole;

	if (x >= 0x1p64)
		return UINT64_MAX;
	if (!(x > 0))
		return 0;
	whole = (uint64_t)x;
	return whole + ((double)whole < x);
}

/* The library is loaded at first use.  Without it every result is NAN, which no caller prints. */
#include "runtime/fold/base/maths.h"

#include <math.h>
#include <stdbool.h>

#include "runtime/fold/base/library.h"

#define LIBRARY "libm.so.6"

static __typeof__(erfc) *erfc_of;
static __typeof__(floor) *floor_of;
static __typeof__(log10) *log10_of;
static __typeof__(pow) *pow_of;

static bool open_library(void)
{
	static const struct library_entry entries[] = {
		{ "erfc", (void **)&erfc_of },
		{ "floor", (void **)&floor_of },
		{ "log10", (void **)&log10_of },
		{ "pow", (void **)&pow_of },
		{ 0 },
	};
	static bool tried, opened;

	if (!tried)
		opened = !library_open(LIBRARY, entries);
	tried = true;
	return opened;
}

double maths_erfc(double x)
{
	return open_library() ? erfc_of(x) : NAN;
}

double maths_floor(double x)
{
	return open_library() ? floor_of(x) : NAN;
}

double maths_log10(double x)
{
	return open_library() ? log10_of(x) : NAN;
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

/* The order of numbers, for functions of qsort(3). */
#ifndef RUNTIME_PROFILE_BASE_ORDER_H
#define RUNTIME_PROFILE_BASE_ORDER_H

#include <stdint.h>

/* Returns a number below 0, 0, or one above 0, as `a` is smaller than `b`, equal, or larger. */
static inline int order_of(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

#endif

/* Two functions of known shares; second calls the first of the other object. */
#include "tests/preload/targets/work.h"

void truth_a_one(uint64_t units);
void truth_a_via_b(uint64_t units, void (*next)(uint64_t));

__attribute__((noinline)) void truth_a_one(uint64_t units)
{
	WORK(units);
	WORK_KEEP(1);
}

__attribute__((noinline)) void truth_a_via_b(uint64_t units, void (*next)(uint64_t))
{
	WORK(units);
	next(units);
	WORK_KEEP(2);
}

/* Functions of known shares, one of them without a symbol of its own in .dynsym. */
#include "tests/preload/targets/work.h"

void truth_b_one(uint64_t units);
void truth_b_outer(uint64_t units);

__attribute__((noinline)) void truth_b_one(uint64_t units)
{
	WORK(units);
	WORK_KEEP(1);
}

__attribute__((noinline)) static void truth_b_static(uint64_t units)
{
	WORK(units);
	WORK_KEEP(2);
}

__attribute__((noinline)) void truth_b_outer(uint64_t units)
{
	truth_b_static(units);
	WORK_KEEP(3);
}

/* A library that is loaded and unloaded while it is sampled. */
#include "tests/preload/targets/target.h"

uint64_t plugin_work(uint64_t value);

__attribute__((noinline)) static uint64_t inner(uint64_t value)
{
	WORK(20000);
	WORK_KEEP(1);
	return value + 1;
}

uint64_t plugin_work(uint64_t value)
{
	value = inner(value);
	WORK_KEEP(2);
	return value;
}

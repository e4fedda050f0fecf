/* Use so much CPU time of the thread, under whatever labels it has. */
#ifndef TESTS_LABELLED_H
#define TESTS_LABELLED_H

#include "tests/preload/targets/target.h"

static inline void labelled_burn(unsigned ms)
{
	struct timespec now;
	uint64_t end = 0, at;

	do {
		for (volatile int i = 0; i < 20000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		at = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
		end = end ? end : at + ms;
	} while (at < end);
}

#endif

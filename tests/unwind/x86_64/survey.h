/* The registers that this machine's rules follow, by DWARF number. */
#ifndef TESTS_UNWIND_SURVEY_H
#define TESTS_UNWIND_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

enum { SURVEY_RETURN, SURVEY_FRAME, SURVEY_OTHER };

static const int survey_registers[] = { 16, 6, 3 };

/* The return address lies right below the CFA. */
static inline bool survey_return_fits(int64_t slot)
{
	return slot == -1;
}

#endif

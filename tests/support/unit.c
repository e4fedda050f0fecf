/* Constructors may run in any order, so cases are put in that of their lines. */
#include "tests/support/unit.h"

#include <stdlib.h>

#define CASES_MAX 100

static struct CMUnitTest cases[CASES_MAX];
static int lines[CASES_MAX];
static size_t count;

void unit_add(int line, const char *name, CMUnitTestFunction run)
{
	size_t at = count++;

	if (count > CASES_MAX)
		abort();
	for (; at && lines[at - 1] > line; at--) {
		cases[at] = cases[at - 1];
		lines[at] = lines[at - 1];
	}
	cases[at] = (struct CMUnitTest){ .name = name,
					 .test_func = run,
					 .setup_func = unit_setup,
					 .teardown_func = unit_teardown };
	lines[at] = line;
}

int main(void)
{
	return _cmocka_run_group_tests("tests", cases, count, unit_begin, NULL);
}

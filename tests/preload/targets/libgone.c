/* Works in a function that it exports, and in one that only its table of symbols has. */
#include "tests/preload/targets/work.h"

void gone_outer(void);

__attribute__((noinline)) static void gone_inner(void)
{
	work_burn(60000000);
	WORK_KEEP(1);
}

void gone_outer(void)
{
	gone_inner();
	work_burn(30000000);
	WORK_KEEP(2);
}

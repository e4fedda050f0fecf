/* Writes a variable five times, and says so. */
#include <stdio.h>

#include "tests/machine/targets/spin.h"

#define WRITES 5

volatile long watched;

SPIN_FUNCTION void write_once(long value)
{
	watched = value;
}

int main(void)
{
	for (long i = 1; i <= WRITES; i++)
		write_once(i);
	printf("%ld writes\n", watched);
	return 0;
}

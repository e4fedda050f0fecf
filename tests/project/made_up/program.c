/* An interpreter of Logo for the tests, and its program: square calls side, which uses the time. */
#include <time.h>

#include "logo.h"

struct logo_stack logo_stack;
static const char square[16] = "square", side[16] = "side";
static volatile unsigned long work;

static void burn(void)
{
	while (clock() < CLOCKS_PER_SEC / 2)
		for (int i = 0; i < 100000; i++)
			work += (unsigned long)i;
}

__attribute__((noinline)) void logo_run(const char *function)
{
	logo_stack.function[logo_stack.depth++] = function;
	if (function == square)
		logo_run(side);
	else
		burn();
	logo_stack.depth--;
	work++; /* no tail call */
}

int main(void)
{
	logo_run(square);
	return 0;
}

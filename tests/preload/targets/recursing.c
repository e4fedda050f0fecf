/* Four times, a function that calls itself three times; its caller is `outer`.
 *   recursing */
#include "tests/preload/targets/work.h"

__attribute__((noinline)) static long recurse(int deeper)
{
	long made = deeper ? recurse(deeper - 1) + 1 : 0;

	WORK_KEEP(1);
	return made;
}

__attribute__((noinline)) static long outer(void)
{
	long made = recurse(3);

	WORK_KEEP(2);
	return made;
}

int main(void)
{
	long made = 0;

	for (int i = 0; i < 4; i++)
		made += outer();
	return made != 12;
}

/*
 * Stacks to be shown whole.
 *   whole_stacks deep LEVELS     works at the bottom of a deep one
 *   whole_stacks zero            in a function that pushes a zero which its unwind table does not
 * mention whole_stacks calls           four times, a function that calls itself three times, for
 * `outer`
 */
#include "tests/preload/targets/target.h"

static volatile long sink;

__attribute__((noinline, noclone)) static void work(long rounds)
{
	for (long i = 0; i < rounds; i++)
		sink += i;
}

__attribute__((noinline, noclone)) static void down(int levels)
{
	if (levels)
		down(levels - 1);
	else
		for (int i = 0; i < 200; i++)
			work(1000000);
	sink++;
}

#ifdef __x86_64__
__asm__(".text; .type lying, @function; lying: .cfi_startproc; push $0; mov %rdi, %rax;"
	"1: dec %rax; jne 1b; pop %rcx; ret; .cfi_endproc; .size lying, . - lying");
void lying(unsigned long rounds);
#else
#define lying(rounds) work(rounds)
#endif

__attribute__((noinline, noclone)) static void calls(void)
{
	lying(1000000);
	sink++;
}

BY_NAME static long recurse(int deeper)
{
	long made = deeper ? recurse(deeper - 1) + 1 : 0;

	WORK_KEEP(1);
	return made;
}

BY_NAME static long outer(void)
{
	long made = recurse(3);

	WORK_KEEP(2);
	return made;
}

int main(int count, char **arguments)
{
	if (count == 3 && !strcmp(arguments[1], "deep"))
		down(atoi(arguments[2]));
	else if (count == 2 && !strcmp(arguments[1], "zero"))
		for (int i = 0; i < 500; i++)
			calls();
	else if (count == 2 && !strcmp(arguments[1], "calls"))
		return outer() + outer() + outer() + outer() != 12;
	else
		return 2;
	return 0;
}

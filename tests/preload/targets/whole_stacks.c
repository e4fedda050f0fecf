/* Works at the bottom of a deep stack, or in a function that pushes a zero which its unwind table
 * does not mention. whole_stacks deep LEVELS | whole_stacks zero */
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

int main(int count, char **arguments)
{
	if (count == 3 && !strcmp(arguments[1], "deep"))
		down(atoi(arguments[2]));
	else if (count == 2 && !strcmp(arguments[1], "zero"))
		for (int i = 0; i < 500; i++)
			calls();
	else
		return 2;
	return 0;
}

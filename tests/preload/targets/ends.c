/* A library works before main() and after it (libends.c), and the program before all libraries. */
#include "tests/preload/targets/work.h"

int ends_wait(void);

__attribute__((noinline)) static void ends_before_all(void)
{
	work_burn(40000000);
	WORK_KEEP(1);
}

static void before(void)
{
	ends_before_all();
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = before;

int main(void)
{
	return ends_wait();
}

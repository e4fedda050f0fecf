/*
 * Its destructor runs after those of the program and of preloaded libraries, because needed
 * libraries end last.
 */
#include <stddef.h>

void harm_late_is(void (*function)(void));

static void (*late)(void);

void harm_late_is(void (*function)(void))
{
	late = function;
}

__attribute__((destructor)) static void end(void)
{
	if (late)
		late();
}

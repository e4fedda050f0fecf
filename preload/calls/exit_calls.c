/*
 * Ways out that run no destructors of libraries.  quick_exit(3) is covered by at_quick_exit(3),
 * exit(3) by our own destructor (process.c).
 */
#include <stdlib.h>
#include <unistd.h>

#include "preload/libc/real.h"
#include "preload/process/process.h"

void _exit(int status)
{
	process_finish(false);
	real()->_exit(status);
	__builtin_unreachable();
}

void _Exit(int status)
{
	process_finish(false);
	real()->_Exit(status);
	__builtin_unreachable();
}

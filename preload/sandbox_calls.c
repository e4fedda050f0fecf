/*
 * Entering a sandbox, and ways out by number.
 *
 * Under seccomp(2) any system call of ours may be the target's death, in the handler, at a
 * thread's start or at the end.  What a filter allows cannot be asked, so the profile of the
 * process ends where its sandbox begins.  A filter that is NULL only asks whether the kernel
 * knows filters.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/process.h"
#include "preload/real.h"

#define ARGUMENTS 6

static bool is_sandbox(unsigned long strict, unsigned long filter, unsigned long mode,
		       unsigned long program)
{
	return mode == strict || (mode == filter && program);
}

static int pass_prctl(int option, const unsigned long argument[4])
{
	if (option == PR_SET_SECCOMP &&
	    is_sandbox(SECCOMP_MODE_STRICT, SECCOMP_MODE_FILTER, argument[0], argument[1]))
		process_retire();
	return real()->prctl(option, argument[0], argument[1], argument[2], argument[3]);
}

int prctl(int option, ...)
{
	unsigned long argument[4];
	va_list list;

	va_start(list, option);
	for (unsigned i = 0; i < 4; i++)
		argument[i] = va_arg(list, unsigned long);
	va_end(list);
	return pass_prctl(option, argument);
}

/* syscall(2) is how programs call what libc has no function for, and some call what it has. */
long syscall(long number, ...)
{
	long argument[ARGUMENTS];
	va_list list;

	va_start(list, number);
	for (unsigned i = 0; i < ARGUMENTS; i++)
		argument[i] = va_arg(list, long);
	va_end(list);
	switch (number) {
	case SYS_seccomp:
		if (is_sandbox(SECCOMP_SET_MODE_STRICT, SECCOMP_SET_MODE_FILTER,
			       (unsigned long)argument[0], (unsigned long)argument[2]))
			process_retire();
		break;
	case SYS_prctl:
		return pass_prctl((int)argument[0], (const unsigned long *)argument + 1);
	case SYS_execve:
		return execve((const char *)argument[0], (char *const *)argument[1],
			      (char *const *)argument[2]);
	case SYS_execveat:
		return execveat((int)argument[0], (const char *)argument[1],
				(char *const *)argument[2], (char *const *)argument[3],
				(int)argument[4]);
	case SYS_exit_group:
		_exit((int)argument[0]);
	default:
		break;
	}
	return real()->syscall(number, argument[0], argument[1], argument[2], argument[3],
			       argument[4], argument[5]);
}

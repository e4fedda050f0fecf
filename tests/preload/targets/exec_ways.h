/* Every function of libc, and every call by number, that replaces the image. */
#ifndef TARGETS_EXEC_WAYS_H
#define TARGETS_EXEC_WAYS_H

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const exec_ways[] = { "execve",   "execv",	   "execvp",	  "execvpe",
					 "execl",    "execlp",	   "execle",	  "fexecve",
					 "execveat", "SYS_execve", "SYS_execveat" };

/* Becomes the program by the way of that number.  argv: itself, at most one argument, NULL. */
static inline int exec_by(unsigned way, const char *program, char *const argv[])
{
	switch (way) {
	case 0:
		return execve(program, argv, environ);
	case 1:
		return execv(program, argv);
	case 2:
		return execvp(program, argv);
	case 3:
		return execvpe(program, argv, environ);
	case 4:
		return execl(program, argv[0], argv[1], (char *)NULL);
	case 5:
		return execlp(program, argv[0], argv[1], (char *)NULL);
	case 6:
		if (!argv[1]) /* the environment follows the first NULL */
			return execle(program, argv[0], (char *)NULL, environ);
		return execle(program, argv[0], argv[1], (char *)NULL, environ);
	case 7:
		return fexecve(open(program, O_RDONLY | O_CLOEXEC), argv, environ);
	case 8:
		return execveat(AT_FDCWD, program, argv, environ, 0);
	case 9:
		return (int)syscall(SYS_execve, program, argv, environ);
	default:
		return (int)syscall(SYS_execveat, AT_FDCWD, program, argv, environ, 0);
	}
}

#endif

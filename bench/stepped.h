/* Counts the instructions of a function by single steps (ptrace(2)), without noise. */
#ifndef BENCH_STEPPED_H
#define BENCH_STEPPED_H

#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the number of instructions of a child that calls run(times).  Ends the program on an
 * error. */
static inline long stepped(void (*run)(unsigned times), unsigned times)
{
	pid_t child = fork();
	long count = 0;
	int status;

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		run(times);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		exit(1);
	while (!ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) &&
	       waitpid(child, &status, 0) == child && WIFSTOPPED(status))
		count++;
	return count;
}

#endif

/*
 * Signals are received with sigwaitinfo(), never by a handler, so nothing races with fork or with
 * the end of the child.  Signals from the terminal reach the program directly, since it shares our
 * process group.  Signals that a process sends only to us are forwarded.
 *
 * vfork(2): until exec the child shares our memory.  So it only makes system calls, and stores
 * there the error that kept it from running.
 */
#include "runtime/command/run/child.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A process that sends one of these to the command means the program. */
static const int passed_on[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM };

static void watched(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++)
		sigaddset(set, passed_on[i]);
}

/* In the child: restore the state that the command found, then run the program; or set *err in the
 * parent's memory. */
static void become(const struct child *child, char *const *argv, char *const *environment,
		   volatile int *err)
{
	sigaction(SIGCHLD, &child->on_child, NULL);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
	execvpe(argv[0], argv, environment);
	*err = -errno;
	_exit(127);
}

int child_start(struct child *child, char *const *argv, char *const *environment, int *forked)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	volatile int err = 0;
	sigset_t set;
	pid_t pid;

	watched(&set);
	sigprocmask(SIG_BLOCK, &set, &child->mask);
	/* if it is ignored, children end without a status */
	sigaction(SIGCHLD, &plain, &child->on_child);
	pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (pid == 0)
		become(child, argv, environment, &err); /* NOLINT(clang-analyzer-unix.Vfork) */
	child->pid = pid;
	*forked = child->pid > 0;
	if (!*forked)
		err = -errno;
	else if (err)
		waitpid(child->pid, NULL, 0);
	if (err)
		child_end(child);
	return err;
}

static uint64_t time_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* Reap the child if it has ended: 1 if so, 0 if not yet, or -errno.  Other children are reaped too:
 * as a container's first process we are the parent of all its orphans. */
static int reap(struct child *child)
{
	for (;;) {
		struct rusage usage;
		int status;
		pid_t got = wait4(-1, &status, WNOHANG, &usage);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		if (got != child->pid)
			continue;
		child->status = status;
		child->cpu_ns = time_ns(usage.ru_utime) + time_ns(usage.ru_stime);
		return 1;
	}
}

int child_wait(struct child *child)
{
	sigset_t set;

	watched(&set);
	for (;;) {
		siginfo_t info;
		int number, ended = reap(child);

		if (ended)
			return ended < 0 ? ended : 0;
		number = sigwaitinfo(&set, &info);
		/* si_code above 0 is from the kernel: a terminal's signal went to the whole
		 * group */
		if (number > 0 && number != SIGCHLD && info.si_code <= 0)
			kill(child->pid, number);
	}
}

void child_end(struct child *child)
{
	struct timespec none = { 0 };
	sigset_t set;

	/* a ctrl-C that ended the program must not stop our next steps */
	watched(&set);
	while (sigtimedwait(&set, NULL, &none) > 0 || errno == EINTR)
		continue;
	sigaction(SIGCHLD, &child->on_child, NULL);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
}

/* Start, signals and end of a child. */
#include "runtime/command/run/launch.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/profile/base/user_file.h"

#define STATUS_SIGNAL 128
#define STOPPED_MAX   256
#define PATH_BYTES    64
#define STAT_BYTES    1024
#define DEPTH_MAX     64 /* generations of processes */

#define MASK(number) (1ULL << ((number)-1))

/* A process that sends one of these to the command means the program. */
static const int passed_on[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM };

static void watched(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++)
		sigaddset(set, passed_on[i]);
}

void child_hold(struct child_signals *signals)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t set;

	watched(&set);
	signals->sender = 0;
	sigprocmask(SIG_BLOCK, &set, &signals->mask);
	/* if it is ignored, children end without a status */
	sigaction(SIGCHLD, &plain, &signals->on_child);
}

/* A signal that is blocked arrives even if it is ignored. */
static bool is_ending(int number)
{
	struct sigaction action;

	return (number == SIGHUP || number == SIGINT || number == SIGQUIT || number == SIGTERM) &&
	       sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN;
}

/* si_code above 0 is from the kernel: a terminal's signal went to the whole group. */
static void pass_on(pid_t to, int number, const siginfo_t *info)
{
	if (to > 0 && number > 0 && number != SIGCHLD && info->si_code <= 0)
		kill(to, number);
}

/* Stopped programs.  A signal that asks a program to end does nothing as long as the program is
 * stopped, and a shell that waits for a stopped child waits for ever.  The kernel names the
 * children of each thread (proc(5), /proc/PID/task/TID/children).  Where it does not
 * (CONFIG_PROC_CHILDREN), only the process itself is continued. */
struct stopped {
	unsigned count; /* of pids; more than STOPPED_MAX are left out */
	pid_t pids[STOPPED_MAX];
};

/* True if a signal that stops the process was sent and has not arrived yet. */
static bool is_about_to_stop(pid_t pid)
{
	uint64_t pending = 0;
	char path[PATH_BYTES], *line = NULL;
	size_t room = 0;
	FILE *stream;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	stream = fopen(path, "re");
	while (stream && getline(&line, &room, stream) > 0) {
		uint64_t mask = strtoull(line + strcspn(line, "\t"), NULL, 16);

		if (strncmp(line, "SigPnd:", 7) == 0 || strncmp(line, "ShdPnd:", 7) == 0)
			pending |= mask;
		else if (strncmp(line, "SigBlk:", 7) == 0 || strncmp(line, "SigCgt:", 7) == 0)
			pending &= ~mask;
	}
	if (stream)
		fclose(stream);
	free(line);
	return pending & (MASK(SIGSTOP) | MASK(SIGTSTP) | MASK(SIGTTIN) | MASK(SIGTTOU));
}

/* 'T': stopped by a signal, and not by a debugger. */
static bool has_stopped(pid_t pid)
{
	char path[PATH_BYTES], text[STAT_BYTES];
	const char *state;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	user_file_text(path, text, sizeof(text));
	state = user_file_state(text);
	return state && *state == 'T';
}

static void find_below(struct stopped *stopped, pid_t pid, unsigned depth);

static void find_one(struct stopped *stopped, pid_t pid, bool first, unsigned depth)
{
	if (pid <= 0)
		return;
	/* in this order: what does not wait for the signal any more has stopped because of it */
	if ((first || getpgid(pid) == getpgrp()) && (is_about_to_stop(pid) || has_stopped(pid)) &&
	    stopped->count < STOPPED_MAX)
		stopped->pids[stopped->count++] = pid;
	if (depth < DEPTH_MAX)
		find_below(stopped, pid, depth + 1);
}

static void find_in_list(struct stopped *stopped, const char *list, unsigned depth)
{
	FILE *stream = fopen(list, "re");
	char *word = NULL;
	size_t room = 0;

	while (stream && getdelim(&word, &room, ' ', stream) > 0)
		find_one(stopped, (pid_t)strtol(word, NULL, 10), false, depth);
	if (stream)
		fclose(stream);
	free(word);
}

static void find_below(struct stopped *stopped, pid_t pid, unsigned depth)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%.16s/children", (int)pid,
			 entry->d_name);
		find_in_list(stopped, path, depth);
	}
	if (tasks)
		closedir(tasks);
}

/* Pass on to the program what it has not got from the sender, and continue what is stopped of it if
 * it shall end: the process, and its descendants in our process group, since other groups are jobs
 * of a shell, which the user has stopped.  They are found before, because a process that has ended
 * has no children.  Returns whether it shall end. */
static bool forward(pid_t to, int number, const siginfo_t *info, bool has_got)
{
	struct stopped stopped = { 0 };
	bool ending = is_ending(number);

	if (ending)
		find_one(&stopped, to, true, 0);
	if (!has_got)
		pass_on(to, number, info);
	for (unsigned i = 0; i < stopped.count; i++)
		kill(stopped.pids[i], SIGCONT);
	return ending;
}

int child_pass_on(pid_t to)
{
	struct timespec none = { 0 };
	int number, ending = 0;
	siginfo_t info;
	sigset_t set;

	watched(&set);
	while ((number = sigtimedwait(&set, &info, &none)) > 0 || errno == EINTR) {
		if (forward(to, number, &info, false))
			ending = number;
	}
	return ending;
}

int child_ending(void)
{
	return child_pass_on(0);
}

int child_signal_fd(void)
{
	sigset_t set;
	int fd;

	watched(&set);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

void child_release(const struct child_signals *signals)
{
	/* a ctrl-C that ended the program must not stop our next steps */
	child_ending();
	sigaction(SIGCHLD, &signals->on_child, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

/* In the child: restore the state that the command found, then run the program; or set *err in the
 * parent's memory. */
static void become(const struct child_signals *signals, const struct child_program *program,
		   volatile int *err)
{
	if ((program->input < 0 || dup2(program->input, STDIN_FILENO) >= 0) &&
	    (program->output < 0 || dup2(program->output, STDOUT_FILENO) >= 0)) {
		sigaction(SIGCHLD, &signals->on_child, NULL);
		sigprocmask(SIG_SETMASK, &signals->mask, NULL);
		execvpe(program->argv[0], program->argv, program->environment);
	}
	*err = -errno;
	_exit(127);
}

/* vfork(2): until exec the child shares our memory.  So it only makes system calls, and stores
 * there the error that kept it from running. */
int child_start(struct child *child, const struct child_signals *signals,
		const struct child_program *program, bool *forked)
{
	volatile int err = 0;
	pid_t pid;

	*child = (struct child){ .sender = signals->sender };
	pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (pid == 0)
		become(signals, program, &err); /* NOLINT(clang-analyzer-unix.Vfork) */
	child->pid = pid;
	*forked = child->pid > 0;
	if (!*forked)
		err = -errno;
	else if (err)
		waitpid(child->pid, NULL, 0);
	return err;
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
		child->usage = usage;
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
		if (forward(child->pid, number, &info,
			    child->sender && info.si_pid != child->sender))
			child->ending = number;
	}
}

static uint64_t time_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

uint64_t child_cpu_ns(const struct child *child)
{
	return time_ns(child->usage.ru_utime) + time_ns(child->usage.ru_stime);
}

int child_exit_status(const struct child *child)
{
	return WIFSIGNALED(child->status) ? STATUS_SIGNAL + WTERMSIG(child->status)
					  : WEXITSTATUS(child->status);
}

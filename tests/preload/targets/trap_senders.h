/* Ways to send a signal to the calling thread or its process, each of which returns 0, or an error;
 * and which threads of the process block the signal, as the kernel has it (proc(5), status). */
#ifndef TARGETS_TRAP_SENDERS_H
#define TARGETS_TRAP_SENDERS_H

#include <dirent.h>

#include "tests/preload/targets/trap_probe.h"

static int by_raise(void)
{
	return raise(number);
}

static int by_kill(void)
{
	return kill(getpid(), number);
}

static int by_tgkill(void)
{
	return (int)syscall(SYS_tgkill, getpid(), gettid(), number);
}

static int by_pthread_kill(void)
{
	return pthread_kill(pthread_self(), number);
}

static int by_sigqueue(void)
{
	return sigqueue(getpid(), number, (union sigval){ 7 });
}

static int by_pthread_sigqueue(void)
{
	return pthread_sigqueue(pthread_self(), number, (union sigval){ 7 });
}

static int by_other_process(void)
{
	pid_t parent = getpid(), child = fork();
	int status;

	if (!child) {
		kill(parent, number);
		_exit(0);
	}
	status = status_of(child);
#ifdef TAKES_CHILDS_SIGNAL
	take_childs_signal();
#endif
	return status;
}

static int by_file(void)
{
	int pair[2];

	if (pipe(pair) || fcntl(pair[0], F_SETOWN, getpid()) || fcntl(pair[0], F_SETSIG, number) ||
	    fcntl(pair[0], F_SETFL, O_ASYNC | O_NONBLOCK) || write(pair[1], "x", 1) != 1)
		return -1;
	close(pair[0]);
	return close(pair[1]);
}

static int by_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = number };

	return run_timer(CLOCK_MONOTONIC, &event);
}

/* Sent by the kernel, even to a thread that blocks or ignores it: then it kills. */
static int by_breakpoint(void)
{
#if defined(__x86_64__)
	__asm__ volatile("int3");
#endif
	return 0;
}

/* The trap flag: the kernel sends one signal after the next instruction. */
static int by_single_step(void)
{
#if defined(__x86_64__)
	/* past the red zone, which popf and pushf would overwrite */
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
			 "pushf\n\t"
			 "orl $0x100, (%%rsp)\n\t"
			 "popf\n\t"
			 "pushf\n\t"
			 "andl $~0x100, (%%rsp)\n\t"
			 "popf\n\t"
			 "lea 128(%%rsp), %%rsp"
			 :
			 :
			 : "memory", "cc");
#endif
	return 0;
}

static const struct sender {
	const char *name;
	int (*send)(void);
	bool to_thread;
} senders[] = {
	{ "raise", by_raise, true },
	{ "kill", by_kill, false },
	{ "tgkill", by_tgkill, true },
	{ "pthread_kill", by_pthread_kill, true },
	{ "sigqueue", by_sigqueue, false },
	{ "pthread_sigqueue", by_pthread_sigqueue, true },
	{ "other process", by_other_process, false },
	{ "F_SETSIG", by_file, false },
	{ "timer", by_timer, false },
	{ "breakpoint", by_breakpoint, true },
	{ "single step", by_single_step, true },
};

/* For the first thread, which waits for the others: and that it sleeps, so is in no handler. */
static bool blocks_really(const char *tid)
{
	static const char field[] = "\nSigBlk:\t";
	char path[300], text[4096];
	const char *at;
	ssize_t bytes;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	bytes = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	close(fd);
	text[bytes > 0 ? bytes : 0] = '\0';
	if (atoi(tid) == getpid() && !strstr(text, "\nState:\tS"))
		return false;
	at = strstr(text, field);
	return at && strtoull(at + sizeof(field) - 1, NULL, 16) >> (number - 1) & 1;
}

static bool all_block_really(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	bool all_do = tasks;

	while (all_do && (task = readdir(tasks)))
		all_do = task->d_name[0] == '.' || blocks_really(task->d_name);
	if (tasks)
		closedir(tasks);
	return all_do;
}

#endif

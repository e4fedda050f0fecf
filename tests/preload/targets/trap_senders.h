/* Ways to send a signal to the calling thread or its process; each returns 0, or an error. */
#ifndef TARGETS_TRAP_SENDERS_H
#define TARGETS_TRAP_SENDERS_H

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
	int status = 0;

	if (!child) {
		kill(parent, number);
		_exit(0);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
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

#endif

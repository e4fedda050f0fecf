/*
 * A thread's view of a signal that a handler counts: whether it is blocked, whether it is pending,
 * and the effect of sending it, by the calls that would notice a sample's signal.
 */
#ifndef TARGETS_TRAP_PROBE_H
#define TARGETS_TRAP_PROBE_H

#include <sys/select.h>
#include <sys/signalfd.h>

#include "tests/preload/targets/target.h"

#define PROBE_WORK 3000000 /* some samples */

static int number;
static sigset_t only, all, none;
static volatile sig_atomic_t handled, handled_code, handled_value;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)context;
	handled += signal == number;
	handled_code = info->si_code;
	handled_value =
		info->si_code == SI_KERNEL || info->si_code > 0 ? 0 : info->si_value.sival_int;
}

static inline void handle_signal(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	sigaction(number, &action, NULL);
}

static inline bool is_blocked(void)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return sigismember(&mask, number) > 0;
}

static inline bool is_pending(void)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, number) > 0;
}

static inline void probe_blocked(void)
{
	struct timespec none_left = { 0, 0 }, brief = { 0, 2000000 };
	int fd = signalfd(-1, &only, SFD_NONBLOCK | SFD_CLOEXEC);
	struct signalfd_siginfo record;
	siginfo_t info;

	printf(" read %d", (int)read(fd, &record, sizeof(record)) > 0);
	close(fd);
	printf(" taken %d", sigtimedwait(&only, &info, &none_left));
	WORK(PROBE_WORK);
	printf(" slept %d", pselect(0, NULL, NULL, NULL, &brief, &none));
	raise(number);
	WORK(PROBE_WORK);
	printf(" sent %d", is_pending());
	printf(" taken %d", sigtimedwait(&only, &info, &brief));
	raise(number);
	printf(" suspended %d", sigsuspend(&none));
}

/* Leaves the mask as it is, and nothing pending. */
static inline void probe(const char *where)
{
	struct timespec brief = { 0, 2000000 };

	WORK(PROBE_WORK);
	printf("  %s: blocked %d pending %d", where, is_blocked(), is_pending());
	if (is_blocked()) {
		probe_blocked();
	} else {
		raise(number);
		printf(" handled %d", (int)handled);
		printf(" slept %d", pselect(0, NULL, NULL, NULL, &brief, &none));
	}
	printf(" handled %d\n", (int)handled);
	fflush(stdout);
}

static inline void probe_start(int signal)
{
	number = signal;
	sigfillset(&all);
	sigemptyset(&none);
	only = set_of(number);
}

/* Runs a timer until it has run out; it stays, for with it would go its signal.  Returns 0, or -1
 * if there is none. */
static inline int run_timer(clockid_t clock, struct sigevent *event)
{
	struct itimerspec once = { .it_value = { 0, 1000000 } }, left;
	timer_t timer;

	if (timer_create(clock, event, &timer) || timer_settime(timer, 0, &once, NULL))
		return -1;
	do {
		WORK(1000);
		timer_gettime(timer, &left);
	} while (left.it_value.tv_nsec);
	return 0;
}

/* Each in a process of its own, which `run` ends or returns from. */
struct cell {
	const char *name;
	void (*run)(int argument);
	int argument;
};

static inline void probe_cell(const struct cell *cell)
{
	pid_t child;

	printf("%s:\n", cell->name);
	fflush(stdout);
	child = fork();
	if (!child) {
		handle_signal();
		cell->run(cell->argument);
		fflush(stdout);
		_exit(0);
	}
	printf("  -> %x\n", (unsigned)status_of(child) & 0xff7f);
	fflush(stdout);
}

#endif

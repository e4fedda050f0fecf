/*
 * Ways out of a sleep that unblocks the signals which the thread blocks, other than its return: a
 * handler that jumps, and cancellation.  Prints the mask afterwards and the effect of the signal.
 * Then the thread works in a function of its own.
 *   trap_leave SIGNAL CASE MS
 */
#include <sys/select.h>

#include "tests/preload/targets/target.h"

static int number;
static uint64_t work_ns;
static sigset_t all, none;
static sigjmp_buf away;
static volatile sig_atomic_t handled, woken;

static void on_signal(int signal)
{
	handled += signal == number;
}

static void on_waker(int signal)
{
	woken += signal == SIGUSR1;
	siglongjmp(away, 1);
}

BURNS(burn_after_jump)
BURNS(burn_after_cancel)

static void say(const char *what)
{
	sigset_t mask, pending;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	sigpending(&pending);
	printf("%s: blocked %d, all %d, pending %d, handled %d, woken %d\n", what,
	       sigismember(&mask, number), sigismember(&mask, SIGUSR2),
	       sigismember(&pending, number), (int)handled, (int)woken);
}

static void sleep_open(bool select)
{
	if (select)
		pselect(0, NULL, NULL, NULL, NULL, &none);
	else
		sigsuspend(&none);
}

/* The mask that is saved is that before the block, or that of the block, or none is. */
static void jump(bool select, bool before, bool save)
{
	struct sigaction action = { .sa_handler = on_waker };

	sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	if (!before)
		sigprocmask(SIG_SETMASK, &all, NULL);
	if (!sigsetjmp(away, save)) {
		if (before)
			sigprocmask(SIG_SETMASK, &all, NULL);
		raise(SIGUSR1);
		sleep_open(select);
	}
	burn_after_jump(work_ns);
	raise(number);
	say("jumped");
	sigprocmask(SIG_SETMASK, &none, NULL);
	say("opened");
}

static void on_cancel(void *unused)
{
	(void)unused;
	raise(number);
	say("cancelled");
}

static void *sleep_for_good(void *select)
{
	sigprocmask(SIG_SETMASK, &all, NULL);
	pthread_cleanup_push(on_cancel, NULL);
	for (;;)
		sleep_open(select != NULL);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel(bool select)
{
	pthread_t sleeper;

	pthread_create(&sleeper, NULL, sleep_for_good, select ? &number : NULL);
	usleep(20000);
	pthread_cancel(sleeper);
	pthread_join(sleeper, NULL);
	burn_after_cancel(work_ns);
	say("joined");
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	const char *which = argc > 2 ? argv[2] : "";

	number = argc > 1 ? atoi(argv[1]) : SIGTRAP;
	work_ns = (uint64_t)(argc > 3 ? atoi(argv[3]) : 100) * 1000000;
	sigfillset(&all);
	sigemptyset(&none);
	sigaction(number, &action, NULL);
	if (strstr(which, "cancel"))
		cancel(strstr(which, "pselect") != NULL);
	else
		jump(strstr(which, "pselect") != NULL, strstr(which, "before") != NULL,
		     !strstr(which, "unsaved"));
	return 0;
}

/*
 * SIGTRAP belongs to the target: the target reads back its settings, and signals sent to it
 * arrive.
 *   trap default|ignored|handled|blocked|suspended|working CPU_MILLISECONDS
 * Prints "ok" last; "default" then dies of SIGTRAP, as it must.
 */
#include "tests/preload/targets/target.h"

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition)) {                                            \
			printf("line %d: not so: %s\n", __LINE__, #condition); \
			exit(1);                                               \
		}                                                              \
	} while (0)

static volatile sig_atomic_t taken;
static volatile int last_code;
static uint64_t burn_ns;

static void take(int signal, siginfo_t *info, void *context)
{
	CHECK(signal == SIGTRAP);
	CHECK(context != NULL);
	taken++;
	last_code = info->si_code;
}

static void take_plain(int signal)
{
	CHECK(signal == SIGTRAP);
	taken++;
}

static struct sigaction current(void)
{
	struct sigaction action;

	memset(&action, 0x55, sizeof(action));
	CHECK(sigaction(SIGTRAP, NULL, &action) == 0);
	return action;
}

static void install(int flags)
{
	struct sigaction action = { .sa_sigaction = take, .sa_flags = flags };

	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGUSR1);
	CHECK(sigaction(SIGTRAP, &action, NULL) == 0);
}

static void mode_default(void)
{
	CHECK(current().sa_handler == SIG_DFL);
	work_burn(burn_ns);
	CHECK(current().sa_handler == SIG_DFL);
	puts("ok");
	fflush(stdout);
	raise(SIGTRAP);
	puts("survived its own SIGTRAP");
	exit(1);
}

static void mode_ignored(void)
{
	CHECK(signal(SIGTRAP, SIG_IGN) == SIG_DFL);
	CHECK(current().sa_handler == SIG_IGN);
	work_burn(burn_ns / 2);
	raise(SIGTRAP);
	kill(getpid(), SIGTRAP);
	work_burn(burn_ns / 2);
	CHECK(current().sa_handler == SIG_IGN);
	CHECK(signal(SIGTRAP, SIG_DFL) == SIG_IGN);
}

static void mode_handled(void)
{
	struct sigaction action;

	install(SA_SIGINFO | SA_RESTART);
	work_burn(burn_ns / 2);
	action = current();
	CHECK(action.sa_sigaction == take);
	CHECK((action.sa_flags & ~0x04000000) == (SA_SIGINFO | SA_RESTART));
	CHECK(sigismember(&action.sa_mask, SIGUSR1) == 1);
	CHECK(sigismember(&action.sa_mask, SIGUSR2) == 0);
	for (int i = 0; i < 100; i++) {
		raise(SIGTRAP);
		CHECK(taken == i + 1);
		CHECK(last_code == SI_TKILL);
		work_burn(burn_ns / 400);
	}
	kill(getpid(), SIGTRAP);
	CHECK(taken == 101);
	CHECK(last_code == SI_USER);
	CHECK((void *)signal(SIGTRAP, take_plain) == (void *)take);
	CHECK(raise(SIGTRAP) == 0);
	CHECK(taken == 102);
	work_burn(burn_ns / 4);
	CHECK(taken == 102);
}

static void mode_blocked(void)
{
	sigset_t set = set_of(SIGTRAP), old;

	install(SA_SIGINFO);
	sigaddset(&set, SIGUSR2);
	CHECK(sigprocmask(SIG_BLOCK, &set, &old) == 0);
	CHECK(!sigismember(&old, SIGTRAP));
	CHECK(sigprocmask(SIG_BLOCK, NULL, &old) == 0);
	CHECK(sigismember(&old, SIGTRAP) && sigismember(&old, SIGUSR2));
	work_burn(burn_ns / 2);
	raise(SIGTRAP);
	CHECK(taken == 0);
	work_burn(burn_ns / 4);
	CHECK(taken == 0);
	CHECK(sigpending(&set) == 0);
	CHECK(sigismember(&set, SIGTRAP));
	set = set_of(SIGTRAP);
	CHECK(pthread_sigmask(SIG_UNBLOCK, &set, &old) == 0);
	CHECK(sigismember(&old, SIGTRAP) && sigismember(&old, SIGUSR2));
	CHECK(taken == 1);
	CHECK(sigpending(&set) == 0);
	CHECK(!sigismember(&set, SIGTRAP));
	work_burn(burn_ns / 4);
	CHECK(taken == 1);
}

static void answer(int signal)
{
	CHECK(signal == SIGUSR1);
	taken++;
}

static void answer_with_work(int signal)
{
	answer(signal);
	work_burn(burn_ns / 10);
}

/* As shells wait for their children: everything blocked but while they sleep. */
static void sleep_between(void (*handler)(int))
{
	sigset_t all, old;

	CHECK(signal(SIGUSR1, handler) == SIG_DFL);
	sigfillset(&all);
	for (int i = 0; i < 5; i++) {
		CHECK(sigprocmask(SIG_SETMASK, &all, &old) == 0);
		raise(SIGUSR1);
		CHECK(taken == i);
		CHECK(sigsuspend(&old) == -1);
		CHECK(taken == i + 1);
		CHECK(sigprocmask(SIG_SETMASK, &old, NULL) == 0);
	}
	work_burn(burn_ns / 2);
}

static void mode_suspended(void)
{
	sleep_between(answer);
}

static void mode_working(void)
{
	sleep_between(answer_with_work);
}

int main(int argc, char **argv)
{
	static const struct named modes[] = {
		{ "default", mode_default },	 { "ignored", mode_ignored },
		{ "handled", mode_handled },	 { "blocked", mode_blocked },
		{ "suspended", mode_suspended }, { "working", mode_working },
	};

	burn_ns = (argc > 2 ? strtoull(argv[2], NULL, 10) : 100) * 1000000;
	if (argc < 2 || !run_named(modes, COUNT(modes), argv[1]))
		return 2;
	puts("ok");
	return 0;
}

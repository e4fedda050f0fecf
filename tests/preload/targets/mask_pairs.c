/*
 * Blocks all signals and opens them again, as libraries do around a few lines.
 *   mask_pairs KIND PAIRS [vfork]
 */
#include "tests/preload/targets/target.h"

static sigset_t all, old;

static void by_mask(void)
{
	sigprocmask(SIG_SETMASK, &all, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void by_block(void)
{
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void by_unblock(void)
{
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_sigmask(SIG_UNBLOCK, &all, NULL);
}

/* The outer pair, with an inner one that changes nothing. */
static void nested(void)
{
	sigset_t inner;

	sigprocmask(SIG_BLOCK, &all, &old);
	sigprocmask(SIG_BLOCK, &all, &inner);
	sigprocmask(SIG_SETMASK, &inner, NULL);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void asking(void)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, &all, &old);
	sigprocmask(SIG_BLOCK, NULL, &now);
	if (sigismember(&now, SIGTRAP) != 1)
		exit(1);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static const struct named kinds[] = {
	{ "mask", by_mask },  { "block", by_block }, { "unblock", by_unblock },
	{ "nested", nested }, { "asking", asking },
};

int main(int argc, char **argv)
{
	int pairs = argc > 2 ? atoi(argv[2]) : 0;

	if (argc > 3 && !strcmp(argv[3], "vfork")) {
		pid_t child = vfork();

		if (!child)
			_exit(0);
		status_of(child);
	}
	sigfillset(&all);
	while (pairs--)
		run_named(kinds, COUNT(kinds), argv[1]);
	sigprocmask(SIG_BLOCK, NULL, &old);
	printf("%d\n", sigismember(&old, SIGTRAP));
	return 0;
}

/*
 * The target blocks all signals, raises SIGTRAP, and unblocks it, again and again while it is
 * sampled: each is delivered once, not before and not twice.
 *   harm_pending ROUNDS
 */
#include "tests/preload/targets/target.h"

static volatile sig_atomic_t taken;

static void take(int signal)
{
	(void)signal;
	taken++;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1000, early = 0, missing = 0;
	sigset_t set;

	sigfillset(&set);
	signal(SIGTRAP, take);
	for (int i = 0; i < rounds; i++) {
		taken = 0;
		sigprocmask(SIG_BLOCK, &set, NULL);
		WORK(3000);
		raise(SIGTRAP);
		early += taken != 0;
		WORK(3000);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		missing += taken != 1;
	}
	printf("%d early, %d missing or twice\n", early, missing);
	return 0;
}

/*
 * A signal that all threads block stays pending for the process while other threads start and end
 * and programs are executed.  It is not taken even for a moment.
 *   trap_stays SIGNAL THREADS
 */
#include "tests/preload/targets/target.h"

static int number;
static _Atomic bool ended;
static _Atomic unsigned missed, looks;

static void *look(void *unused)
{
	sigset_t pending;

	while (!ended) {
		sigpending(&pending);
		missed += sigismember(&pending, number) <= 0;
		looks++;
	}
	return unused;
}

static void *pass(void *unused)
{
	unsigned before = looks;

	WORK(1000);
	while (looks == before) /* until the looking thread has run */
		sched_yield();
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1000;
	pthread_t looker, passer;
	siginfo_t info;
	sigset_t only;

	number = argc > 1 ? atoi(argv[1]) : SIGTRAP;
	sigemptyset(&only);
	sigaddset(&only, number);
	sigprocmask(SIG_BLOCK, &only, NULL);
	sigqueue(getpid(), number, (union sigval){ 7 });
	if (pthread_create(&looker, NULL, look, NULL))
		return 1;
	for (int i = 0; i < threads; i++) {
		if (pthread_create(&passer, NULL, pass, NULL))
			return 1;
		pthread_join(passer, NULL);
	}
	ended = true;
	pthread_join(looker, NULL);
	printf("missed %u\n", missed);
	printf("took %d", sigwaitinfo(&only, &info));
	printf(" code %d value %d\n", info.si_code, info.si_value.sival_int);
	return 0;
}

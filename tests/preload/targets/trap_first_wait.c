/*
 * Processes that block nearly all signals and then wait for one of them by name, for the first
 * time, while another process sends it: a bit later in each process than in the one before.  Prints
 * how many of them received it, or the status of the first that did not. trap_first_wait SIGNAL
 * PROCESSES
 */
#include "tests/preload/targets/target.h"

#define STEPS	   400 /* of the delay, before it begins anew */
#define STEP_LOOPS 40

static _Atomic int *ready;

static int wait_for(int number)
{
	sigset_t all, wanted;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	sigemptyset(&wanted);
	sigaddset(&wanted, number);
	*ready = 1;
	return sigwaitinfo(&wanted, NULL) == number ? 0 : 1;
}

static void send_to(pid_t process, int number, int step)
{
	while (!*ready)
		;
	for (volatile int i = 0; i < step * STEP_LOOPS; i++)
		;
	kill(process, number);
}

int main(int argc, char **argv)
{
	int number = argc > 1 ? atoi(argv[1]) : SIGTRAP;
	int processes = argc > 2 ? atoi(argv[2]) : 1;
	int received = 0, status;

	ready = mmap(NULL, sizeof(*ready), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (ready == MAP_FAILED)
		return 1;
	for (int i = 0; i < processes; i++) {
		pid_t child;

		*ready = 0;
		child = fork();
		if (!child)
			_exit(wait_for(number));
		if (child < 0)
			return 1;
		send_to(child, number, i % STEPS);
		if (waitpid(child, &status, 0) != child || status) {
			printf("process %d: status %x\n", i, (unsigned)status);
			return 1;
		}
		received++;
	}
	printf("%d\n", received);
	return 0;
}

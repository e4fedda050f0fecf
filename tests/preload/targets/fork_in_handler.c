/*
 * A single-threaded program whose signal handler forks while the program itself forks, as
 * supervisors do: it goes on until its handler has made FORKS children, and prints whether any
 * child ended otherwise than it should have.
 */
#include <sys/time.h>

#include "tests/preload/targets/target.h"

static volatile sig_atomic_t by_handler, bad;

static void one_child(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child)
		_exit(7);
	while (child > 0 && waitpid(child, &status, 0) != child)
		;
	bad |= !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}

/* Armed anew when it is done: however slow a fork is, the program gets on. */
static void arm(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 1000 };

	setitimer(ITIMER_PROF, &soon, NULL);
}

static void on_time(int signal)
{
	(void)signal;
	one_child();
	by_handler++;
	arm();
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_time };
	int forks = argc > 1 ? atoi(argv[1]) : 1;

	sigaction(SIGPROF, &action, NULL);
	arm();
	while (by_handler < forks)
		one_child();
	printf("%s\n", bad ? "bad" : "good");
	return 0;
}

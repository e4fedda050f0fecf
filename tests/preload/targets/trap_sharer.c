/*
 * A child that shares its parent's table of actions (clone with CLONE_SIGHAND), but has a mask of
 * its own.  Prints which settings of one the other sees.
 *   trap_sharer SIGNAL
 */
#include "tests/preload/targets/target.h"

#define STACK_BYTES 262144

static int number;
static sigset_t only;
static char stack[STACK_BYTES] __attribute__((aligned(16)));
static volatile sig_atomic_t first, second;

static void on_first(int signal)
{
	first += signal == number;
}

static void on_second(int signal)
{
	second += signal == number;
}

static void say(const char *who)
{
	struct sigaction action;
	sigset_t mask, pending;

	WORK(500000);
	sigaction(number, NULL, &action);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigpending(&pending);
	printf("%s: action %s flags %x, blocked %d, pending %d, first %d, second %d\n", who,
	       action.sa_handler == on_first	? "first"
	       : action.sa_handler == on_second ? "second"
	       : action.sa_handler == SIG_IGN	? "ignore"
						: "default",
	       (unsigned)action.sa_flags, sigismember(&mask, number), sigismember(&pending, number),
	       (int)first, (int)second);
	fflush(stdout);
}

static int child(void *unused)
{
	struct sigaction action = { .sa_handler = on_second, .sa_flags = SA_RESTART };

	(void)unused;
	say("child begins");
	kill(getpid(), number);
	say("child sent");
	sigaction(number, &action, NULL);
	kill(getpid(), number);
	say("child has set");
	sigprocmask(SIG_BLOCK, &only, NULL);
	kill(getpid(), number);
	say("child has blocked");
	return 3;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_first };
	int status = 0;
	pid_t pid;

	number = argc > 1 ? atoi(argv[1]) : SIGTRAP;
	sigemptyset(&only);
	sigaddset(&only, number);
	sigaction(number, &action, NULL);
	say("parent begins");
	for (int i = 0; i < 3; i++) {
		pid = clone(child, stack + STACK_BYTES, CLONE_VM | CLONE_SIGHAND | SIGCHLD, NULL);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return 1;
		printf("child ended %x\n", (unsigned)status);
		say("parent after it");
		raise(number);
		say("parent sent");
		sigaction(number, &action, NULL);
	}
	signal(number, SIG_IGN);
	raise(number);
	say("parent ignores");
	return 0;
}

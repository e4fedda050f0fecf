/*
 * The mask, the action and the pending signals that a program inherits from its parent, by each
 * way to start a program, from each state, also from handlers.  The started programs print them,
 * with the parent's environment and with none.
 *   trap_children SIGNAL
 *   trap_children SIGNAL show WAY
 * A child that shares its parent's table of actions has a mask of its own.  The third way prints
 * which settings of one the other sees.
 *   trap_children SIGNAL shared
 */
#include <spawn.h>

#include "tests/preload/targets/trap_probe.h"

extern char **environ;

static char path[4096], text[16];
static const char *way;

static void show(void)
{
	struct sigaction action;
	sigset_t pending;

	sigaction(number, NULL, &action);
	sigpending(&pending);
	printf("  %s: blocked %d, pending %d, action %s\n", way, is_blocked(),
	       sigismember(&pending, number),
	       action.sa_handler == SIG_IGN   ? "ignore"
	       : action.sa_handler == SIG_DFL ? "default"
					      : "handler");
	fflush(stdout);
}

static char **argv_of(const char *name)
{
	static char show_word[] = "show", name_word[64];
	static char *argv[] = { path, text, show_word, name_word, NULL };

	snprintf(name_word, sizeof(name_word), "%s", name);
	return argv;
}

static void spawn(const char *name, short flags, char **environment)
{
	posix_spawnattr_t attributes;
	pid_t child;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, flags);
	posix_spawnattr_setsigmask(&attributes, strstr(name, "open") ? &none : &only);
	posix_spawnattr_setsigdefault(&attributes, &only);
	if (!posix_spawn(&child, path, NULL, &attributes, argv_of(name), environment))
		status_of(child);
}

static void start_all(char **environment)
{
	pid_t child;

	spawn("spawn", 0, environment);
	spawn("spawn, default", POSIX_SPAWN_SETSIGDEF, environment);
	spawn("spawn, blocked", POSIX_SPAWN_SETSIGMASK, environment);
	spawn("spawn, open", POSIX_SPAWN_SETSIGMASK, environment);
	spawn("spawn, open, default", POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF, environment);
	child = fork();
	if (!child) {
		way = "fork";
		show();
		execve(path, argv_of("fork and exec"), environment);
		_exit(1);
	}
	status_of(child);
	child = vfork();
	if (!child) {
		execve(path, argv_of("vfork and exec"), environment);
		_exit(1);
	}
	status_of(child);
}

static void start(void)
{
	static char *nothing[] = { NULL };
	char command[4200];

	fflush(stdout);
	WORK(PROBE_WORK);
	start_all(environ);
	start_all(nothing);
	snprintf(command, sizeof(command), "%s %d show system", path, number);
	if (system(command) < 0)
		printf("  no shell\n");
}

static void as_it_is(int unused)
{
	(void)unused;
	start();
}

static void by_default(int unused)
{
	(void)unused;
	signal(number, SIG_DFL);
	start();
}

static void blocked(int all_of_them)
{
	pthread_sigmask(all_of_them ? SIG_SETMASK : SIG_BLOCK, all_of_them ? &all : &only, NULL);
	start();
}

static void ignored(int all_blocked)
{
	pthread_sigmask(SIG_SETMASK, all_blocked ? &all : &none, NULL);
	signal(number, SIG_IGN);
	start();
}

static void exec_pending(int all_blocked)
{
	pthread_sigmask(SIG_SETMASK, all_blocked ? &all : &only, NULL);
	raise(number);
	WORK(PROBE_WORK);
	fflush(stdout);
	execve(path, argv_of("exec, pending"), environ);
}

static void in_own_handler(int unused)
{
	struct sigaction action = { .sa_handler = as_it_is };

	(void)unused;
	sigaction(number, &action, NULL);
	raise(number);
}

static void in_other_handler(int all_blocked)
{
	struct sigaction action = { .sa_handler = as_it_is, .sa_mask = all_blocked ? all : only };

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

static void *in_thread(void *unused)
{
	start();
	return unused;
}

static void thread_all_blocked(int unused)
{
	(void)unused;
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	run_threads(1, in_thread, NULL);
}

static const struct cell cells[] = {
	{ "handled", as_it_is, 0 },
	{ "ignored", ignored, 0 },
	{ "default", by_default, 0 },
	{ "blocked", blocked, 0 },
	{ "all blocked", blocked, 1 },
	{ "all blocked and ignored", ignored, 1 },
	{ "pending", exec_pending, 0 },
	{ "all blocked, pending", exec_pending, 1 },
	{ "in its handler", in_own_handler, 0 },
	{ "in another handler", in_other_handler, 0 },
	{ "in a handler that blocks all", in_other_handler, 1 },
	{ "in a thread", thread_all_blocked, 0 },
};

#define STACK_BYTES 262144

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

static int share(void *unused)
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

/* The child has its parent's table of actions (CLONE_SIGHAND), but a mask of its own. */
static int share_actions(void)
{
	struct sigaction action = { .sa_handler = on_first };
	pid_t pid;

	sigaction(number, &action, NULL);
	say("parent begins");
	for (int i = 0; i < 3; i++) {
		pid = clone(share, stack + STACK_BYTES, CLONE_VM | CLONE_SIGHAND | SIGCHLD, NULL);
		if (pid < 0)
			return 1;
		printf("child ended %x\n", (unsigned)status_of(pid));
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

int main(int argc, char **argv)
{
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (length < 0)
		return 1;
	probe_start(argc > 1 ? atoi(argv[1]) : SIGTRAP);
	if (argc == 3)
		return share_actions();
	if (argc > 3) {
		way = argv[3];
		show();
		return 0;
	}
	snprintf(text, sizeof(text), "%d", number);
	for (size_t i = 0; i < COUNT(cells); i++)
		probe_cell(&cells[i]);
	return 0;
}

/*
 * The mask, the action and the pending signals that a program inherits from its parent, by each
 * way to start a program, from each state, also from handlers.  The started programs print them,
 * with the parent's environment and with none.
 *   trap_children SIGNAL
 *   trap_children SIGNAL show WAY
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

static void wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
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
		wait_for(child);
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
	wait_for(child);
	child = vfork();
	if (!child) {
		execve(path, argv_of("vfork and exec"), environment);
		_exit(1);
	}
	wait_for(child);
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

int main(int argc, char **argv)
{
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (length < 0)
		return 1;
	probe_start(argc > 1 ? atoi(argv[1]) : SIGTRAP);
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

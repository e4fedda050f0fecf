/*
 * The mask, the action and the pending signals that a program inherits from its parent, by each
 * way to start a program, from each state, also from handlers.  The started programs print them,
 * with the parent's environment and with none.
 *   trap_children SIGNAL
 *   trap_children SIGNAL show WAY
 */
#include <spawn.h>
#include <stdlib.h>

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

static void handled_state(void)
{
	start();
}

static void ignored(void)
{
	signal(number, SIG_IGN);
	start();
}

static void by_default(void)
{
	signal(number, SIG_DFL);
	start();
}

static void blocked(void)
{
	pthread_sigmask(SIG_BLOCK, &only, NULL);
	start();
}

static void all_blocked(void)
{
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	start();
}

static void all_blocked_and_ignored(void)
{
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	signal(number, SIG_IGN);
	start();
}

static void exec_with(const sigset_t *mask)
{
	pthread_sigmask(SIG_SETMASK, mask, NULL);
	raise(number);
	WORK(PROBE_WORK);
	fflush(stdout);
	execve(path, argv_of("exec, pending"), environ);
}

static void exec_pending(void)
{
	exec_with(&only);
}

static void exec_all_pending(void)
{
	exec_with(&all);
}

static void in_handler(int signal)
{
	(void)signal;
	start();
}

static void from_handler(int signal, const sigset_t *mask)
{
	struct sigaction action = { .sa_handler = in_handler, .sa_mask = *mask };

	sigaction(signal, &action, NULL);
	raise(signal);
}

static void own_handler(void)
{
	from_handler(number, &none);
}

static void other_handler(void)
{
	from_handler(SIGUSR1, &only);
}

static void other_handler_all(void)
{
	from_handler(SIGUSR1, &all);
}

static void *in_thread(void *unused)
{
	start();
	return unused;
}

static void thread_all_blocked(void)
{
	pthread_t thread;

	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} cells[] = {
	{ "handled", handled_state },
	{ "ignored", ignored },
	{ "default", by_default },
	{ "blocked", blocked },
	{ "all blocked", all_blocked },
	{ "all blocked and ignored", all_blocked_and_ignored },
	{ "pending", exec_pending },
	{ "all blocked, pending", exec_all_pending },
	{ "in its handler", own_handler },
	{ "in another handler", other_handler },
	{ "in a handler that blocks all", other_handler_all },
	{ "in a thread", thread_all_blocked },
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
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		probe_cell(cells[i].name, cells[i].run);
	return 0;
}

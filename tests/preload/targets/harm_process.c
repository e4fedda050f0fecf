/*
 * One way of making or becoming another process, with work before and after it.  Prints the
 * result, and "ok" at the end.
 *   harm_process MILLISECONDS WAY [ARGUMENT]
 */
#include <linux/sched.h>
#include <spawn.h>

#include "tests/preload/targets/target.h"

static uint64_t burn_ns;
static const char *argument;
static char *const no_words[] = { (char *)"none", NULL };

static void reap(pid_t pid)
{
	int status = 0;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		printf("no child: %s\n", strerror(errno));
	else
		printf("child: %x\n", (unsigned)status);
}

static void by_large_fork(void)
{
	size_t size = (argument ? strtoull(argument, NULL, 10) : 256) << 20;
	char *memory = map_memory(size, PROT_READ | PROT_WRITE);

	madvise(memory, size, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += 4096)
		memory[at] = 1;
	for (int i = 0; i < 10; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(memory[4096] == 1 ? 3 : 4);
		reap(pid);
	}
}

static void by_vfork(void)
{
	char *const words[] = { (char *)"true", NULL };
	pid_t pid = vfork();

	if (!pid) {
		execv("/bin/true", words);
		_exit(9);
	}
	reap(pid);
	pid = vfork();
	if (!pid)
		_exit(5);
	reap(pid);
	pid = vfork();
	if (!pid) {
		execv("/no/such/program", words);
		_exit(6);
	}
	reap(pid);
}

static void by_spawn(void)
{
	char *const words[] = { (char *)"sh", (char *)"-c", (char *)"exit 4", NULL };
	pid_t pid = -1;

	printf("spawn: %d\n", posix_spawnp(&pid, "sh", NULL, NULL, words, environ));
	reap(pid);
	printf("spawn: %d\n", posix_spawn(&pid, "/no/such/program", NULL, NULL, words, environ));
}

static void by_shell(void)
{
	char line[64] = "";
	FILE *stream;

	printf("system: %x\n", (unsigned)system("exit 5"));
	stream = popen("echo through the pipe; exit 6", "r");
	printf("popen: %s", stream && fgets(line, sizeof(line), stream) ? line : "nothing\n");
	printf("pclose: %x\n", stream ? (unsigned)pclose(stream) : 0);
}

/* Past fork(3), so that no handler of anybody runs. */
static void by_number(void)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (!pid) {
		work_burn(burn_ns);
		_exit(7);
	}
	reap(pid);
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!pid) {
		char *const words[] = { (char *)"true", NULL };

		execv("/bin/true", words);
		_exit(8);
	}
	reap(pid);
}

static _Alignas(64) char clone_stack[262144];

static int clone_main(void *unused)
{
	(void)unused;
	for (int i = 0; i < 20; i++)
		WORK(1000000);
	return 0;
}

static void by_clone_thread(void)
{
	reap(clone(clone_main, clone_stack + sizeof(clone_stack), CLONE_VM | SIGCHLD, NULL));
	reap(clone(clone_main, clone_stack + sizeof(clone_stack),
		   CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD, NULL));
}

static void close_all(void)
{
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
}

/* The daemon's words go to a file, since it has closed everything. */
static void by_daemon(void)
{
	pid_t pid = fork();
	int fd;

	if (!pid) {
		setsid();
		pid = fork();
		if (pid)
			_exit(0);
		close_all();
		if (chdir("/"))
			_exit(2);
		work_burn(burn_ns);
		fd = open(argument, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		for (int i = 0; i < 100; i++)
			if (write(fd, "daemon\n", 7) != 7)
				_exit(2);
		close(fd);
		_exit(0);
	}
	status_of(pid);
	puts("the daemon is on its own");
}

static void by_chroot(void)
{
	printf("chroot: %d\n", chroot(argument));
	printf("chdir: %d\n", chdir("/"));
}

static void by_setuid(void)
{
	printf("setgid: %d\n", setgid(65534));
	printf("setuid: %d\n", setuid(65534));
	printf("uid: %u\n", getuid());
}

static void by_unshare(void)
{
	pid_t pid;

	printf("unshare: %d\n", unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWUTS));
	pid = fork();
	if (!pid) {
		work_burn(burn_ns);
		printf("as %d\n", getpid());
		fflush(stdout);
		_exit(0);
	}
	reap(pid);
}

static void by_failing_exec(void)
{
	for (int i = 0; i < 50; i++) {
		int result = execv("/no/such/program", no_words);

		if (result != -1 || errno != ENOENT)
			puts("exec did not fail as it should");
	}
	execve("/etc/passwd", no_words, environ);
	printf("exec: %s\n", strerror(errno));
	execlp("no-such-program-anywhere", "none", NULL);
	printf("exec: %s\n", strerror(errno));
}

static void by_exec(void)
{
	char *const words[] = { (char *)argument, (char *)"exec'd", NULL };

	fflush(stdout);
	execv(argument, words);
	printf("exec: %s\n", strerror(errno));
}

static const struct named ways[] = {
	{ "large", by_large_fork }, { "vfork", by_vfork },	    { "spawn", by_spawn },
	{ "shell", by_shell },	    { "number", by_number },	    { "clone", by_clone_thread },
	{ "daemon", by_daemon },    { "chroot", by_chroot },	    { "setuid", by_setuid },
	{ "unshare", by_unshare },  { "failing", by_failing_exec }, { "exec", by_exec },
};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	burn_ns = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0;
	argument = argc > 3 ? argv[3] : NULL;
	work_burn(burn_ns);
	if (argc > 2)
		run_named(ways, COUNT(ways), argv[2]);
	work_burn(burn_ns);
	puts("ok");
	return 7;
}

/*
 * A whole life: start, threads, fork, exec, signals and every kind of end.  Everything that the
 * profiler interposes or hooks is called once.  The calls and their number do not depend on time.
 * "end" as the only argument: an image that was executed.
 */
#include <spawn.h>
#include <sys/ptrace.h>
#include <threads.h>

#include "tests/preload/targets/exec_ways.h"
#include "tests/preload/targets/target.h"

int __sigaction(int, const struct sigaction *, struct sigaction *);
void (*bsd_signal(int, void (*)(int)))(int);
void (*__sysv_signal(int, void (*)(int)))(int);

static char *self;

static void burn(void)
{
	for (volatile unsigned long i = 0; i < 10000000; i++)
		;
}

static void *work(void *result)
{
	burn();
	return result;
}

static int work_c11(void *unused)
{
	(void)unused;
	burn();
	return 5;
}

static void on_signal(int number)
{
	(void)number;
}

static void threads(void)
{
	pthread_t thread;
	thrd_t c11;
	pthread_key_t key;
	tss_t c11_key;
	int status = 0;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	thrd_create(&c11, work_c11, NULL);
	thrd_join(c11, &status);
	printf("thread %d, keys %d %d\n", status, pthread_key_create(&key, NULL),
	       tss_create(&c11_key, NULL));
}

static void signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	stack_t stack = { .ss_flags = SS_DISABLE };
	sigset_t set = set_of(SIGUSR1), old;

	sigaction(SIGUSR1, &action, NULL);
	__sigaction(SIGUSR2, &action, NULL);
	signal(SIGHUP, on_signal);
	bsd_signal(SIGHUP, on_signal);
	ssignal(SIGHUP, on_signal);
	sysv_signal(SIGHUP, on_signal);
	__sysv_signal(SIGHUP, on_signal);
	sigprocmask(SIG_BLOCK, &set, &old);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sigaltstack(&stack, NULL);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	sigset(SIGALRM, on_signal);
	sighold(SIGALRM);
	sigrelse(SIGALRM);
	sigignore(SIGALRM);
	siginterrupt(SIGUSR1, 1);
	sigblock(1 << (SIGUSR2 - 1));
	printf("blocked %x\n", sigblock(0));
	printf("blocked %x\n", sigsetmask(0));
#pragma GCC diagnostic pop
	raise(SIGUSR1);
}

static void leave(unsigned way)
{
	char *argv[] = { self, (char *)"end", NULL };

	burn();
	switch (way) {
	case COUNT(exec_ways):
		_exit(3);
	case COUNT(exec_ways) + 1:
		_Exit(3);
	case COUNT(exec_ways) + 2:
		quick_exit(3);
	case COUNT(exec_ways) + 3:
		syscall(SYS_exit_group, 3);
		break;
	case COUNT(exec_ways) + 4:
		exit(3);
	case COUNT(exec_ways) + 5:
		execve("/nowhere", argv, environ);
		exit(3);
	default:
		exec_by(way, self, argv);
	}
	exit(9);
}

static void ends(void)
{
	for (unsigned way = 0; way < COUNT(exec_ways) + 6; way++) {
		pid_t child = fork();

		if (!child)
			leave(way);
		printf("%u: %x\n", way, (unsigned)status_of(child));
	}
}

static void spawns(void)
{
	char *argv[] = { self, (char *)"end", NULL };
	pid_t child;
	FILE *pipe;

	posix_spawn(&child, self, NULL, NULL, argv, environ);
	status_of(child);
	posix_spawnp(&child, self, NULL, NULL, argv, environ);
	printf("%x\n", (unsigned)status_of(child));
	printf("%x\n", (unsigned)system("exit 3"));
	pipe = popen("exit 3", "r");
	printf("%x\n", (unsigned)pclose(pipe));
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	self = argv[0];
	burn();
	if (argc > 1)
		return 3;
	signals();
	threads();
	ends();
	spawns();
	dlclose(dlopen("libm.so.6", RTLD_NOW));
	munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	prctl(PR_GET_DUMPABLE);
	printf("%d\n", mlockall(0));			     /* EINVAL, mlockall(2) */
	printf("%ld\n", ptrace(PTRACE_CONT, 0, NULL, NULL)); /* ESRCH */
	return 4;
}

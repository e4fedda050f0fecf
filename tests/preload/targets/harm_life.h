/*
 * Everything that the profiler interposes or hooks is called once.  The calls and their number do
 * not depend on time.  "end" as the only argument: an image that was executed.
 */
#include <spawn.h>
#include <sys/ptrace.h>
#include <threads.h>

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
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
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

static void leave(int way)
{
	char *argv[] = { self, (char *)"end", NULL };

	burn();
	switch (way) {
	case 0:
		execve(self, argv, environ);
		break;
	case 1:
		execv(self, argv);
		break;
	case 2:
		execvp(self, argv);
		break;
	case 3:
		execvpe(self, argv, environ);
		break;
	case 4:
		execl(self, self, "end", NULL);
		break;
	case 5:
		execlp(self, self, "end", NULL);
		break;
	case 6:
		execle(self, self, "end", NULL, environ);
		break;
	case 7:
		fexecve(open(self, O_RDONLY | O_CLOEXEC), argv, environ);
		break;
	case 8:
		execveat(AT_FDCWD, self, argv, environ, 0);
		break;
	case 9:
		syscall(SYS_execve, self, argv, environ);
		break;
	case 10:
		syscall(SYS_execveat, AT_FDCWD, self, argv, environ, 0);
		break;
	case 11:
		_exit(3);
	case 12:
		_Exit(3);
	case 13:
		quick_exit(3);
	case 14:
		syscall(SYS_exit_group, 3);
		break;
	case 15:
		exit(3);
	default:
		execve("/nowhere", argv, environ);
		exit(3);
	}
	exit(9);
}

#define WAYS 17

static void ends(void)
{
	for (int way = 0; way < WAYS; way++) {
		pid_t child = fork();
		int status = 0;

		if (!child)
			leave(way);
		waitpid(child, &status, 0);
		printf("%d: %x\n", way, (unsigned)status);
	}
}

static void spawns(void)
{
	char *argv[] = { self, (char *)"end", NULL };
	int status = 0;
	pid_t child;
	FILE *pipe;

	posix_spawn(&child, self, NULL, NULL, argv, environ);
	waitpid(child, &status, 0);
	posix_spawnp(&child, self, NULL, NULL, argv, environ);
	waitpid(child, &status, 0);
	printf("%x\n", (unsigned)status);
	printf("%x\n", (unsigned)system("exit 3"));
	pipe = popen("exit 3", "r");
	printf("%x\n", (unsigned)pclose(pipe));
}

static int life(int argc, char **argv)
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

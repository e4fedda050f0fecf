/*
 * Pointers to memory that does not exist: in calls to which the kernel answers EFAULT, and in the
 * environment, where they do no harm until they are read.
 *   harm_gone calls LOADER                           the calls; LOADER is a static program
 *   harm_gone gone|nowhere|none return|_exit|fork    the environment, and the way to end
 * The first prints the result of each call.
 */
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>

#include "tests/preload/targets/target.h"

#define BURN_NS 100000000
#define PAGE	4096
#define ANSWER(call)                                                  \
	do {                                                          \
		errno = 0;                                            \
		printf("%s: %ld", #call, (long)(call));               \
		printf(" %s\n", errno ? strerrorname_np(errno) : ""); \
		fflush(stdout);                                       \
	} while (0)

static char *page(void)
{
	return map_memory(PAGE, PROT_READ | PROT_WRITE);
}

/* Addresses that cannot be read or written, in each way; NULL is no address at all for some calls.
 */
static char *gone_kind(unsigned kind)
{
	char *gone;

	switch (kind) {
	case 0:
		gone = page();
		mprotect(gone, PAGE, PROT_NONE);
		return gone;
	case 1: /* the first bytes can be read, and end nothing; the others cannot */
		gone = map_memory(2 * PAGE, PROT_READ | PROT_WRITE);
		memset(gone, 'x', PAGE);
		mprotect(gone, PAGE, PROT_READ);
		mprotect(gone + PAGE, PAGE, PROT_NONE);
		return gone + PAGE - 4;
	case 2:				    /* below vm.mmap_min_addr */
		return (char *)0x8000;	    /* NOLINT */
	case 3:				    /* of the kernel's half */
		return (char *)(1UL << 63); /* NOLINT */
	default:
		return NULL;
	}
}

#define KINDS 5

/* `is_null` apart: a compiler may take an address that some calls are given for one that is not. */
static void calls_to_execute(char *loader, char *gone, volatile bool is_null)
{
	char *words[] = { loader, NULL }, **list = (char **)(void *)gone;
	char *holds[] = { gone, NULL };
	int fd = open(loader, O_RDONLY | O_CLOEXEC);
	pid_t child;

	if (!is_null) { /* no list is an empty one */
		ANSWER(execv(loader, list));
		ANSWER(execve(loader, list, environ));
		ANSWER(execve(loader, words, list));
		ANSWER(execveat(AT_FDCWD, loader, words, list, 0));
		ANSWER(fexecve(fd, list, environ));
		ANSWER(fexecve(fd, words, list));
		ANSWER(posix_spawn(&child, loader, NULL, NULL, words, list));
		ANSWER(execve(loader, words, holds));
		ANSWER(execve(loader, holds, environ));
		ANSWER(posix_spawn(&child, loader, NULL, NULL, words, holds));
	}
	ANSWER(execv(gone, words));
	ANSWER(execveat(AT_FDCWD, gone, words, environ, 0));
	ANSWER(posix_spawn(&child, gone, NULL, NULL, words, environ));
	close(fd);
}

static void calls(char *gone, volatile bool is_null)
{
	const sigset_t *set = (const sigset_t *)(const void *)gone;
	struct timespec nothing = { 0 };
	struct pollfd file = { .fd = -1 };
	struct epoll_event event;
	fd_set files;
	int epoll = epoll_create1(0);
	sigset_t trap = set_of(SIGTRAP), user = set_of(SIGUSR2);

	FD_ZERO(&files);
	ANSWER(sigprocmask(SIG_BLOCK, NULL, (sigset_t *)(void *)gone));
	ANSWER(pthread_sigmask(SIG_BLOCK, NULL, (sigset_t *)(void *)gone));
	ANSWER(prctl(PR_SET_NAME, gone));
	ANSWER(prctl(PR_GET_NAME, gone));
	ANSWER(syscall(SYS_rt_sigprocmask, SIG_BLOCK, set, NULL, 8));
	ANSWER(syscall(SYS_rt_sigaction, SIGUSR2, gone, NULL, 8));
	ANSWER(syscall(SYS_rt_sigaction, SIGUSR2, NULL, gone, 8));
	sigprocmask(SIG_BLOCK, &user, NULL);
	raise(SIGUSR2); /* it is pending then */
	ANSWER(sigwaitinfo(&user, (siginfo_t *)(void *)gone));
	ANSWER(sigtimedwait(set, NULL, &nothing));
	if (!is_null) /* else it waits without end */
		ANSWER(sigtimedwait(&trap, NULL, (struct timespec *)(void *)gone));
	ANSWER(sigwaitinfo(set, NULL));
	ANSWER(sigpending((sigset_t *)(void *)gone));
	ANSWER(sigsuspend(set));
	ANSWER(signalfd(-1, set, 0));
	ANSWER(pselect(0, &files, NULL, NULL, &nothing, set));
	ANSWER(ppoll(&file, 1, &nothing, set));
	ANSWER(epoll_pwait(epoll, &event, 1, 0, set));
	ANSWER(epoll_pwait2(epoll, &event, 1, &nothing, set));
	ANSWER(sigaltstack((stack_t *)(void *)gone, NULL));
	ANSWER(sigaltstack(NULL, (stack_t *)(void *)gone));
	close(epoll);
}

static void calls_of_each_kind(char *loader)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		printf("kind %u\n", kind);
		calls_to_execute(loader, gone_kind(kind), !gone_kind(kind));
		calls(gone_kind(kind), !gone_kind(kind));
	}
}

static int end(const char *how)
{
	int status = 0;

	if (!strcmp(how, "_exit"))
		_exit(7);
	if (!strcmp(how, "fork")) {
		if (!fork()) {
			work_burn(BURN_NS);
			_exit(5);
		}
		wait(&status);
		printf("child %d\n", WEXITSTATUS(status));
	}
	return 7;
}

int main(int argc, char **argv)
{
	char *text = page();

	work_burn(BURN_NS);
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "calls")) {
		sigset_t all;

		calls_of_each_kind(argv[2]);
		/* once more, where our own view of the mask is asked */
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		calls_of_each_kind(argv[2]);
		return 7;
	}
	strcpy(text, "GONE=here");
	putenv(text);
	mprotect(text, PAGE, PROT_NONE);
	if (!strcmp(argv[1], "nowhere"))
		environ = (char **)8;
	if (!strcmp(argv[1], "none"))
		environ = NULL;
	ANSWER(execvp("/nowhere/at/all", argv)); /* no PATH is looked for */
	ANSWER(execv("/nowhere/at/all", argv));
	puts("ok");
	fflush(stdout);
	return end(argv[2]);
}

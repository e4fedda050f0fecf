/*
 * Pointers to memory that does not exist: in calls to which the kernel answers EFAULT, and in the
 * environment, where they do no harm until they are read.
 *   harm_gone calls LOADER                           the calls; LOADER is a static program
 *   harm_gone gone|nowhere|none return|_exit|fork    the environment, and the way to end
 * The first prints the result of each call.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/preload/targets/work.h"

#define BURN_NS 20000000
#define PAGE	4096
#define ANSWER(call)                                                  \
	do {                                                          \
		errno = 0;                                            \
		printf("%s: %ld", #call, (long)(call));               \
		printf(" %s\n", errno ? strerrorname_np(errno) : ""); \
		fflush(stdout);                                       \
	} while (0)

static void *page(void)
{
	return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void calls(char *loader)
{
	char *words[] = { loader, NULL }, *gone = page(), **list = (char **)(void *)gone;
	char *holds[] = { gone, NULL };
	const sigset_t *set = (const sigset_t *)(const void *)gone;
	struct timespec nothing = { 0 };
	struct pollfd file = { .fd = -1 };
	struct epoll_event event;
	fd_set files;
	int epoll = epoll_create1(0);
	sigset_t trap;

	FD_ZERO(&files);
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	mprotect(gone, PAGE, PROT_NONE);
	ANSWER(execve(gone, words, environ));
	ANSWER(execve(loader, list, environ));
	ANSWER(execve(loader, words, list));
	ANSWER(execve(loader, words, holds));
	ANSWER(execve(loader, holds, environ));
	ANSWER(sigtimedwait(set, NULL, &nothing));
	ANSWER(sigtimedwait(&trap, NULL, (struct timespec *)(void *)gone));
	ANSWER(sigwaitinfo(set, NULL));
	ANSWER(sigpending((sigset_t *)(void *)gone));
	ANSWER(sigsuspend(set));
	ANSWER(signalfd(-1, set, 0));
	ANSWER(pselect(0, &files, NULL, NULL, &nothing, set));
	ANSWER(ppoll(&file, 1, &nothing, set));
	ANSWER(epoll_pwait(epoll, &event, 1, 0, set));
	ANSWER(sigaltstack((stack_t *)(void *)gone, NULL));
	ANSWER(sigaltstack(NULL, (stack_t *)(void *)gone));
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
		calls(argv[2]);
		/* once more, where our own view of the mask is asked */
		sigset_t all;
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		calls(argv[2]);
		return 7;
	}
	strcpy(text, "GONE=here");
	putenv(text);
	mprotect(text, PAGE, PROT_NONE);
	if (!strcmp(argv[1], "nowhere"))
		environ = (char **)8;
	if (!strcmp(argv[1], "none"))
		environ = NULL;
	puts("ok");
	fflush(stdout);
	return end(argv[2]);
}

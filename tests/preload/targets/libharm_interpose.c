/*
 * Functions of libc as other preloaded libraries replace them.  Each aborts when it is called
 * while a handler runs.  The handler is read from the kernel, and wrapped.  At _exit it prints the
 * number of handler runs.  With HARM_INTERPOSE set, each run calls strlen to show that the call
 * would be detected.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "tests/preload/targets/raw_call.h"

typedef void handler(int, siginfo_t *, void *);

static __thread int depth __attribute__((tls_model("initial-exec")));
static _Atomic unsigned long turns;
static handler *wrapped;
static int wanted;
static __thread int wrapping __attribute__((tls_model("initial-exec")));

#define BLOCKED_NEVER (1UL << (SIGKILL - 1) | 1UL << (SIGSTOP - 1))

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static void say(const char *text, unsigned long bytes)
{
	raw_call(SYS_write, 2, (long)text, (long)bytes, 0);
}

/* What rt_sigaction(2) takes. */
struct kernel_action {
	handler *handler;
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

static void on_signal(int signal, siginfo_t *info, void *context);

/* The profiler's is the only handler here that blocks every signal. */
static void wrap(void)
{
	struct kernel_action action;

	for (int signal = 1; signal <= 64 && !wrapped; signal++) {
		if (raw_call(SYS_rt_sigaction, signal, 0, (long)&action, 8) ||
		    !(action.flags & SA_SIGINFO) || (action.mask | BLOCKED_NEVER) != ~0UL)
			continue;
		wrapped = action.handler;
		wanted = getenv("HARM_INTERPOSE") != NULL;
		action.handler = on_signal;
		raw_call(SYS_rt_sigaction, signal, (long)&action, 0, 8);
	}
}

static void enter(const char *name)
{
	unsigned long bytes = 0;

	if (!wrapped && !wrapping) {
		wrapping = 1;
		wrap();
		wrapping = 0;
	}
	if (!depth)
		return;
	depth = 0;
	while (name[bytes])
		bytes++;
	say(name, bytes);
	say(" in a handler\n", 14);
	abort();
}

#define INTERPOSE(result, name, parameters, arguments)            \
	result name parameters                                    \
	{                                                         \
		static result(*real) parameters;                  \
		enter(#name);                                     \
		if (!real)                                        \
			real = (result(*) parameters)next(#name); \
		return real arguments;                            \
	}

INTERPOSE(void *, memcpy, (void *restrict a, const void *restrict b, size_t n), (a, b, n))
INTERPOSE(void *, memmove, (void *a, const void *b, size_t n), (a, b, n))
INTERPOSE(void *, memset, (void *a, int b, size_t n), (a, b, n))
INTERPOSE(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n))
INTERPOSE(void *, memchr, (const void *a, int b, size_t n), (a, b, n))
INTERPOSE(size_t, strlen, (const char *a), (a))
INTERPOSE(size_t, strnlen, (const char *a, size_t n), (a, n))
INTERPOSE(int, strcmp, (const char *a, const char *b), (a, b))
INTERPOSE(int, strncmp, (const char *a, const char *b, size_t n), (a, b, n))
INTERPOSE(char *, strcpy, (char *restrict a, const char *restrict b), (a, b))
INTERPOSE(char *, strchr, (const char *a, int b), (a, b))
INTERPOSE(char *, strrchr, (const char *a, int b), (a, b))
INTERPOSE(char *, strstr, (const char *a, const char *b), (a, b))
INTERPOSE(char *, getenv, (const char *a), (a))
INTERPOSE(long, strtol, (const char *restrict a, char **restrict b, int c), (a, b, c))
INTERPOSE(int, open, (const char *a, int b, ...), (a, b, 0600))
INTERPOSE(int, open64, (const char *a, int b, ...), (a, b, 0600))
INTERPOSE(ssize_t, read, (int a, void *b, size_t n), (a, b, n))
INTERPOSE(ssize_t, write, (int a, const void *b, size_t n), (a, b, n))
INTERPOSE(int, close, (int a), (a))
INTERPOSE(void *, mmap, (void *a, size_t b, int c, int d, int e, off_t f), (a, b, c, d, e, f))
INTERPOSE(int, munmap, (void *a, size_t b), (a, b))
INTERPOSE(int, mprotect, (void *a, size_t b, int c), (a, b, c))
INTERPOSE(int, madvise, (void *a, size_t b, int c), (a, b, c))
INTERPOSE(int, mincore, (void *a, size_t b, unsigned char *c), (a, b, c))
INTERPOSE(int, msync, (void *a, size_t b, int c), (a, b, c))
INTERPOSE(int, clock_gettime, (clockid_t a, struct timespec *b), (a, b))
INTERPOSE(int, nanosleep, (const struct timespec *a, struct timespec *b), (a, b))
INTERPOSE(int, sched_yield, (void), ())
INTERPOSE(pid_t, getpid, (void), ())
INTERPOSE(void *, pthread_getspecific, (pthread_key_t a), (a))
INTERPOSE(int, pthread_setspecific, (pthread_key_t a, const void *b), (a, b))
INTERPOSE(pthread_t, pthread_self, (void), ())
INTERPOSE(int, pthread_mutex_lock, (pthread_mutex_t * a), (a))
INTERPOSE(int, pthread_mutex_unlock, (pthread_mutex_t * a), (a))
INTERPOSE(int, sigprocmask, (int a, const sigset_t *b, sigset_t *c), (a, b, c))
INTERPOSE(int, pthread_sigmask, (int a, const sigset_t *b, sigset_t *c), (a, b, c))
INTERPOSE(int, dl_iterate_phdr, (int (*a)(struct dl_phdr_info *, size_t, void *), void *b), (a, b))
INTERPOSE(int, dladdr, (const void *a, Dl_info *b), (a, b))

long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))next("syscall");
	long word[6];
	va_list list;

	enter("syscall");
	va_start(list, number);
	for (unsigned i = 0; i < 6; i++)
		word[i] = va_arg(list, long);
	va_end(list);
	return real(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	atomic_fetch_add(&turns, 1);
	depth++;
	if (wanted)
		strlen(getenv("HARM_INTERPOSE"));
	wrapped(signal, info, context);
	depth--;
}

void _exit(int status)
{
	void (*real)(int) = next("_exit");
	char digits[24];
	unsigned at = sizeof(digits);

	digits[--at] = '\n';
	do {
		digits[--at] = (char)('0' + turns % 10);
		turns /= 10;
	} while (turns);
	say(digits + at, sizeof(digits) - at);
	real(status);
	for (;;)
		;
}

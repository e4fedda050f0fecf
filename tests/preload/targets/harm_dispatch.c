/*
 * A thread has its system calls dispatched to it, as Wine and other system call emulators do.
 * Each call is noted and then made for the thread from an allowed place.  The noted calls are
 * printed.
 *   harm_dispatch MILLISECONDS main|thread|exit|fork|inside|failing
 */
#include "tests/preload/targets/target.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define OFF	0
#define OUTSIDE 1
#define INSIDE	2 /* Linux 6.17 */

#define NOTED_MAX 64

static volatile char selector;
static volatile int telling; /* each at once */
static volatile int noted_count;
static volatile int noted[NOTED_MAX];

#ifdef __x86_64__

/* The calls that pass: one system call, and the return from the handler. */
__asm__(".pushsection .text\n"
	".balign 64\n"
	"direct_start:\n"
	"direct_call:\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rdx\n"
	"	mov %r8, %r10\n"
	"	mov %r9, %r8\n"
	"	mov 8(%rsp), %r9\n"
	"	syscall\n"
	"	ret\n"
	"direct_return:\n"
	"	mov $15, %eax\n"
	"	syscall\n"
	"	nop\n"
	"direct_end:\n"
	".popsection\n");

extern char direct_start[], direct_end[], direct_return[];
long direct_call(long number, long a, long b, long c, long d, long e, long f);

struct kernel_sigaction {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void *restorer;
	unsigned long mask;
};

static void on_dispatch(int signal, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	if (telling) {
		char line[] = "dispatched ...\n";

		for (int i = 0, left = info->si_syscall; i < 3; i++, left /= 10)
			line[13 - i] = (char)('0' + left % 10);
		direct_call(SYS_write, STDOUT_FILENO, (long)line, sizeof(line) - 1, 0, 0, 0);
	}
	if (noted_count < NOTED_MAX)
		noted[noted_count] = info->si_syscall;
	noted_count++;
	r[REG_RAX] = direct_call(info->si_syscall, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10],
				 r[REG_R8], r[REG_R9]);
}

static void handle(void)
{
	struct kernel_sigaction action = { on_dispatch, SA_SIGINFO | 0x04000000 /* SA_RESTORER */,
					   direct_return, 0 };

	direct_call(SYS_rt_sigaction, SIGSYS, (long)&action, 0, 8, 0, 0);
}

static int dispatch(int mode, void *start, size_t bytes)
{
	return prctl(PR_SET_SYSCALL_USER_DISPATCH, mode, start, bytes, mode ? &selector : NULL);
}

static int dispatch_on(void)
{
	handle();
	return dispatch(OUTSIDE, direct_start, (size_t)(direct_end - direct_start));
}

#else

static int dispatch(int mode, void *start, size_t bytes)
{
	(void)mode;
	(void)start;
	(void)bytes;
	errno = EINVAL;
	return -1;
}

static int dispatch_on(void)
{
	return dispatch(OFF, NULL, 0);
}

static char direct_start[1];

#endif

static uint64_t burn_ns;

BURNS(before)

__attribute__((noinline)) static void during(void)
{
	for (int i = 0; i < 400; i++)
		WORK(100000);
	WORK_KEEP(2);
}

BURNS(after)

static void tell(void)
{
	printf("dispatched %d:", noted_count);
	for (int i = 0; i < noted_count && i < NOTED_MAX; i++)
		printf(" %d", noted[i]);
	putchar('\n');
	fflush(stdout);
}

static void *nothing(void *argument)
{
	during();
	return argument;
}

/* The interposed functions, among the calls that are dispatched. */
static void use_calls(void)
{
	struct sigaction old;
	sigset_t set = set_of(SIGUSR1);

	getppid();
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	sigaction(SIGUSR1, NULL, &old);
	sigaltstack(NULL, &(stack_t){ 0 });
	syscall(SYS_gettid);
	selector = 0; /* a thread does not begin in a handler */
	run_threads(1, nothing, NULL);
	selector = 1;
}

static void dispatched(void)
{
	before(burn_ns);
	if (dispatch_on())
		exit(77);
	selector = 1;
	during();
	use_calls();
	selector = 0;
	if (dispatch(OFF, NULL, 0))
		exit(1);
	after(burn_ns);
}

static void *thread_main(void *unused)
{
	dispatched();
	return unused;
}

static void in_thread(void)
{
	run_threads(1, thread_main, NULL);
}

/* The child of a fork has nothing dispatched. */
static void forked(void)
{
	pid_t child;

	if (dispatch_on())
		exit(77);
	selector = 0;
	child = fork();
	if (!child) {
		selector = 1;
		work_burn(burn_ns);
		_exit(getpid() > 0 ? 5 : 1);
	}
	child = status_of(child);
	printf("child: %d\n", WEXITSTATUS(child));
	if (dispatch(OFF, NULL, 0))
		exit(1);
	after(burn_ns);
}

static void failing(void)
{
	errno = 0;
	printf("%d", dispatch(9, NULL, 0));
	printf(" %d\n", errno);
	after(burn_ns);
}

static void inside(void)
{
	if (dispatch(INSIDE, direct_start, 16))
		exit(77);
	selector = 1;
	during();
	after(burn_ns);
}

/* The end itself is dispatched, or not. */
static void leave(const char *way)
{
	before(burn_ns);
	if (dispatch_on())
		exit(77);
	selector = telling = !strcmp(way, "exit");
	during();
	_exit(7);
}

static const struct named ways[] = { { "main", dispatched },
				     { "thread", in_thread },
				     { "fork", forked },
				     { "failing", failing },
				     { "inside", inside } };

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	burn_ns = strtoull(argv[1], NULL, 10) * 1000000;
	if (!run_named(ways, COUNT(ways), argv[2]))
		leave(argv[2]);
	tell();
	return 7;
}

/*
 * Children that share memory with their parent set signals, masks and signal stacks of their own,
 * raise signals, and execute.  The parent's stay unchanged.
 *   harm_vfork, or harm_vfork clone: the call that makes the first of them; or
 *   harm_vfork show: prints the state that a new image inherited
 */
#include "tests/preload/targets/target.h"

#define STACK_BYTES 131072

static volatile sig_atomic_t taken;
static char *program;
static char child_stack[STACK_BYTES] __attribute__((aligned(64)));
static char signal_stack[STACK_BYTES] __attribute__((aligned(64)));

static void on_signal(int signal)
{
	taken += signal == SIGTRAP;
}

static void show(const char *when)
{
	struct sigaction action;
	sigset_t mask;
	stack_t stack;

	sigaction(SIGTRAP, NULL, &action);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigaltstack(NULL, &stack);
	printf("%s: action %s, TRAP %d, USR1 %d, stack %d, taken %d\n", when,
	       action.sa_handler == SIG_DFL   ? "default"
	       : action.sa_handler == SIG_IGN ? "ignore"
					      : "handler",
	       sigismember(&mask, SIGTRAP), sigismember(&mask, SIGUSR1),
	       !(stack.ss_flags & SS_DISABLE), taken);
	fflush(stdout);
}

/* The actions of a child that shares our memory: all affect only itself. */
static int meddle(void *how)
{
	struct sigaction standard = { .sa_handler = how ? SIG_IGN : SIG_DFL }, before, now;
	stack_t none = { .ss_flags = SS_DISABLE };
	sigset_t all, mask;
	int wrong = 0;

	raise(SIGTRAP); /* its parent's handler is still its own */
	sigaction(SIGTRAP, &standard, &before);
	wrong += before.sa_handler != on_signal;
	sigaction(SIGTRAP, NULL, &now);
	wrong += now.sa_handler != standard.sa_handler;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	wrong += sigismember(&mask, SIGTRAP) != 1 || sigismember(&mask, SIGUSR1) != 1;
	sigaltstack(&none, NULL);
	_exit(10 + wrong);
}

static void finish(const char *what, pid_t child)
{
	printf("%s: child %x\n", what, (unsigned)status_of(child) & 0xff7f);
	WORK(3000000);
	raise(SIGTRAP);
	show(what);
}

static void by_vfork(void)
{
	pid_t child = vfork();

	if (!child)
		meddle(NULL);
	finish("vfork", child);
}

#if defined(__x86_64__)
/* Its parent finds the stack below its own frame overwritten, but for the address to which
 * syscall returns: more than that belongs to nobody. */
static void by_number(void)
{
	for (int i = 0; i < 20; i++) {
		pid_t child = (pid_t)syscall(SYS_vfork);

		if (!child)
			__asm__ volatile("lea -16(%%rsp), %%rdx\n"
					 "mov $64, %%ecx\n"
					 "1:\tmovq $0, (%%rdx)\n\t"
					 "sub $8, %%rdx\n\t"
					 "loop 1b\n\t"
					 "syscall"
					 :
					 : "a"(SYS_exit), "D"(i)
					 : "rcx", "rdx", "r11", "memory");
		finish("vfork by number", child);
	}
}
#else
static void by_number(void)
{
}
#endif

/* It opens all signals, as before exec; its parent's mask is as before. */
static int open_all(void *unused)
{
	sigset_t none, mask;

	(void)unused;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	_exit(sigismember(&mask, SIGTRAP) || sigismember(&mask, SIGUSR1));
}

static void by_opening(int flags)
{
	static sigset_t all, before;
	pid_t child;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child = flags ? clone(open_all, child_stack + STACK_BYTES, flags | SIGCHLD, NULL) : vfork();
	if (!child)
		open_all(NULL);
	finish("its child opens all", child);
	sigprocmask(SIG_SETMASK, &before, NULL);
	show("opened again");
}

static void by_clone(int flags, const char *what)
{
	pid_t child = clone(meddle, child_stack + STACK_BYTES, CLONE_VM | SIGCHLD | flags, program);

	finish(what, child);
}

/* It executes with the standard action and a mask of its own. */
static void by_exec(void)
{
	sigset_t set = set_of(SIGTRAP);
	pid_t child = vfork();

	if (!child) {
		signal(SIGTRAP, SIG_IGN);
		sigprocmask(SIG_SETMASK, &set, NULL);
		execl(program, program, "show", NULL);
		_exit(127);
	}
	finish("vfork and exec", child);
}

int main(int argc, char **argv)
{
	stack_t stack = { .ss_sp = signal_stack, .ss_size = STACK_BYTES };
	sigset_t all, none;

	program = argv[0];
	show("at first");
	if (argc > 1 && !strcmp(argv[1], "show"))
		return 0;
	sigfillset(&all);
	sigemptyset(&none);
	signal(SIGTRAP, on_signal);
	by_opening(argc > 1 ? CLONE_VM : 0); /* the first such child: nothing was known of any */
	sigaltstack(&stack, NULL);
	for (int blocks = 0; blocks < 2; blocks++) {
		sigprocmask(SIG_SETMASK, blocks ? &all : &none, NULL);
		by_vfork();
		by_number();
		by_clone(CLONE_VFORK, "clone and wait");
		by_clone(0, "clone");
		by_exec();
	}
	return 0;
}

/*
 * What a handler of SIGTRAP sees of its frame, and what its return restores: one line for each set
 * of flags, in main and in a thread.  All lines are the same with and without the library.
 */
#include "tests/preload/targets/handler_frame.h"

#define ROOM (1 << 16)
#define FAR  (16 << 10) /* a frame and its vector state are smaller */

static char *low, *high; /* of the thread's stack */
static char room[ROOM];
static struct sigaction action;
static sigjmp_buf out;
static volatile int seen, leaves, nested, big, by_number;

static void look(void *context)
{
	const ucontext_t *from = context;
	char *here = __builtin_frame_address(0);
	sigset_t now;
	uint64_t wanted;

	sigprocmask(SIG_BLOCK, NULL, &now);
	wanted = word(&from->uc_sigmask) | word(&action.sa_mask);
	if (!(action.sa_flags & SA_NODEFER))
		wanted |= 1ULL << (SIGTRAP - 1);
	expect(0, word(&now) == wanted);
	expect(1, !sigismember(&from->uc_sigmask, SIGTRAP));
	if (action.sa_flags & SA_ONSTACK)
		return;
	expect(2, here >= low && here < high);
	expect(3, (char *)context < high && (uintptr_t)context - (uintptr_t)here < FAR);
#ifdef __x86_64__
	const char *sp = (char *)from->uc_mcontext.gregs[REG_RSP]; /* NOLINT */
	const char *state = (char *)from->uc_mcontext.fpregs;
	unsigned control;

	expect(4, sp - 128 - state > 0 && sp - (char *)context < FAR);
	expect(5, (uintptr_t)state % 64 == 0 && (uintptr_t)context % 16 == 0);
	expect(6, state > (char *)context && state < sp);
	__asm__ volatile("stmxcsr %0" : "=m"(control));
	expect(7, control == 0x1f80);
#endif
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	char local = PATTERN;

	seen++;
	expect(8, number == SIGTRAP && info->si_signo == SIGTRAP && local == PATTERN);
	look(context);
	WORK(20000);
	if (big)
		fill();
	if (nested && seen % 2)
		raise(SIGTRAP);
#ifdef __x86_64__
	if (info->si_code == SI_KERNEL)
		((ucontext_t *)context)->uc_mcontext.gregs[REG_RBX] += 1;
	CHANGE_REGISTERS();
#endif
	if (leaves)
		siglongjmp(out, 1);
}

/* Registers, vector registers and the red zone are as they were, and what the handler changed in
 * the context is changed. */
static void trap(void)
{
#ifdef __x86_64__
	EXPECT_ALL_KEPT(9, "int3");
#else
	raise(SIGTRAP);
#endif
}

/* The action as the kernel has it, whose handler returns by code of the program. */
#ifdef __x86_64__
static void act(void)
{
	const struct kernel_action wanted = { (void *)action.sa_sigaction,
					      (uint64_t)action.sa_flags | 0x04000000, own_return,
					      word(&action.sa_mask) };

	if (by_number)
		syscall(SYS_rt_sigaction, SIGTRAP, &wanted, NULL, 8);
	else
		sigaction(SIGTRAP, &action, NULL);
}
#else
static int own_returns;

static void act(void)
{
	sigaction(SIGTRAP, &action, NULL);
}
#endif

static void traps(const char *name, int flags)
{
	sigset_t mask;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_trap;
	action.sa_flags = SA_SIGINFO | flags;
	sigaddset(&action.sa_mask, SIGUSR1);
	seen = 0;
	wrong = 0;
	own_returns = 0;
	for (volatile int i = 0; i < 20; i++) {
		act();
		if (!sigsetjmp(out, 1))
			trap();
		if (!(flags & (int)SA_RESETHAND) && !leaves)
			raise(SIGTRAP);
	}
	sigprocmask(SIG_BLOCK, NULL, &mask);
	printf("%s: seen %d, wrong %x, mask %llx, own returns %d\n", name, seen, wrong,
	       (unsigned long long)word(&mask), own_returns);
}

static void *run(void *unused)
{
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) },
		none = { .ss_flags = SS_DISABLE };
	pthread_attr_t attributes;
	size_t bytes;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, (void **)&low, &bytes);
	high = low + bytes;
	pthread_attr_destroy(&attributes);
	traps("plain", 0);
	traps("restart", SA_RESTART);
	traps("once", (int)SA_RESETHAND);
	nested = 1;
	traps("again", SA_NODEFER);
	nested = 0;
	big = 1;
	traps("big", 0);
	big = 0;
	leaves = 1;
	traps("jump", 0);
	leaves = 0;
	by_number = 1;
	traps("own return", 0);
	by_number = 0;
	traps("no signal stack", SA_ONSTACK);
	sigaltstack(&stack, NULL);
	traps("beside a signal stack", 0);
	traps("on a signal stack", SA_ONSTACK);
	sigaltstack(&none, NULL);
	return unused;
}

int main(void)
{
	run(NULL);
	run_threads(1, run, NULL);
	return 0;
}

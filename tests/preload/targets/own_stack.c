/*
 * What a handler with SA_ONSTACK sees on a signal stack of its own, and what its return restores:
 * one line for each way, in main and in a thread.  All lines are the same with and without the
 * library.
 */
#include "tests/preload/targets/handler_frame.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

#define MOST (1 << 20)

static _Alignas(64) char room[MOST], other[65536];
static stack_t mine;
static sigjmp_buf out;
static ucontext_t away, inner;
static volatile int seen, depth, deepest, wrong_at, way, leaves;
static volatile ptrdiff_t first_at, second_at; /* of the contexts, below the stack's top */
static struct sigaction action;

enum way { PLAIN, NESTED, BIG_ONE, JUMPS, SETS_CONTEXT, SWAPS, SUSPENDED };

static int is_mine(const void *address)
{
	return (uintptr_t)address - (uintptr_t)mine.ss_sp < mine.ss_size;
}

static int is_set(int flags)
{
	stack_t now;

	return !sigaltstack(NULL, &now) && now.ss_sp == mine.ss_sp && now.ss_size == mine.ss_size &&
	       now.ss_flags == flags;
}

static void look_at_mask(const ucontext_t *from, int number)
{
	uint64_t wanted = word(&from->uc_sigmask) | word(&action.sa_mask);
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	if (!(action.sa_flags & SA_NODEFER))
		wanted |= 1ULL << (number - 1);
	if (depth == 1 && way != SUSPENDED)
		expect(0, word(&now) == wanted);
}

static void look_at_stack(const ucontext_t *from)
{
	stack_t another = { .ss_sp = other, .ss_size = sizeof(other) };

	if (mine.ss_flags) { /* it disarms itself */
		stack_t now;

		expect(1, !sigaltstack(NULL, &now) && now.ss_flags == SS_DISABLE);
		expect(2, !sigaltstack(&another, NULL) && !sigaltstack(NULL, &now) &&
				  now.ss_sp == other && now.ss_size == sizeof(other));
	} else {
		expect(1, is_set(SS_ONSTACK));
		expect(2, sigaltstack(&another, NULL) == -1 && errno == EPERM);
	}
	expect(3, from->uc_stack.ss_sp == mine.ss_sp && from->uc_stack.ss_size == mine.ss_size &&
			  from->uc_stack.ss_flags == mine.ss_flags);
}

static void look_at_frame(const ucontext_t *from, const siginfo_t *info)
{
	char *here = __builtin_frame_address(0);

	expect(4, is_mine(here) && is_mine(from) && is_mine(info) && here < (char *)from);
#ifdef __x86_64__
	const char *state = (const char *)from->uc_mcontext.fpregs;
	unsigned control;

	expect(5, (uintptr_t)state % 64 == 0 && (uintptr_t)from % 16 == 0 &&
			  state - (const char *)from == 448 && is_mine(state));
	__asm__ volatile("stmxcsr %0" : "=m"(control));
	expect(6, control == 0x1f80);
#endif
}

static void leave(void)
{
	if (way == JUMPS)
		siglongjmp(out, 1);
	if (way == SETS_CONTEXT)
		setcontext(&away);
	if (way == SWAPS) /* and comes back here */
		swapcontext(&inner, &away);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	ucontext_t *from = context;
	struct sigaction now;

	seen++;
	if (++depth > deepest)
		deepest = depth;
	*(depth == 1 ? &first_at : &second_at) =
		(char *)mine.ss_sp + mine.ss_size - (char *)context;
	expect(7, number == info->si_signo);
	look_at_mask(from, number);
	look_at_stack(from);
	look_at_frame(from, info);
	expect(8, !sigaction(number, NULL, &now) &&
			  (action.sa_flags & (int)SA_RESETHAND ? now.sa_handler == SIG_DFL
							       : now.sa_sigaction == on_signal));
	WORK(20000);
	if (way == NESTED && depth < 3)
		raise(depth == 1 ? SIGUSR2 : SIGHUP);
	if (way == BIG_ONE)
		fill();
#ifdef __x86_64__
	if (number == SIGILL) {
		from->uc_mcontext.gregs[REG_RBX] += 1;
		from->uc_mcontext.gregs[REG_RIP] += 2;
	}
	CHANGE_REGISTERS();
#endif
	errno = 0;
	depth--;
	leave();
}

/* Registers, vector registers and the red zone are as they were, and what the handler changed in
 * the context is changed. */
static void fault(void)
{
#ifdef __x86_64__
	EXPECT_ALL_KEPT(9, "ud2");
#endif
}

/* Several are delivered at once: each finds the frame of the one before it. */
static void together(void)
{
	sigset_t all, before;

	sigemptyset(&all);
	sigaddset(&all, SIGUSR1);
	sigaddset(&all, SIGUSR2);
	sigaddset(&all, SIGHUP);
	sigprocmask(SIG_BLOCK, &all, &before);
	raise(SIGUSR1);
	raise(SIGUSR2);
	raise(SIGHUP);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void suspended(void)
{
	sigset_t all, before, none;

	sigfillset(&all);
	sigemptyset(&none);
	sigprocmask(SIG_BLOCK, &all, &before);
	raise(SIGUSR1);
	expect(10, sigsuspend(&none) == -1 && errno == EINTR);
	sigprocmask(SIG_BLOCK, NULL, &none);
	expect(11, sigismember(&none, SIGUSR1) == 1 && sigismember(&none, SIGUSR2) == 1);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* The handler was left for another stack. */
static void come_back(void)
{
	WORK(20000);
	expect(13, is_set(0));
	setcontext(&inner);
}

static void act(void)
{
	static const int numbers[] = { SIGUSR1, SIGUSR2, SIGHUP, SIGILL };

	for (unsigned i = 0; i < 4; i++)
		sigaction(numbers[i], &action, NULL);
}

static void send(void)
{
	volatile int came = 0;

	if (way == SETS_CONTEXT)
		getcontext(&away);
	if (came)
		return;
	came = 1;
	if (way == SWAPS) {
		getcontext(&away);
		away.uc_stack = (stack_t){ .ss_sp = other, .ss_size = sizeof(other) };
		makecontext(&away, come_back, 0);
	}
	if (!sigsetjmp(out, 1))
		raise(SIGUSR1);
}

static void signals(const char *name, int flags, int how)
{
	int times = flags & (int)SA_RESETHAND ? 1 : 10;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_signal;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK | flags;
	sigaddset(&action.sa_mask, SIGALRM);
	way = how;
	seen = deepest = depth = 0;
	wrong = 0;
	first_at = second_at = 0;
	act();
	for (volatile int i = 0; i < times; i++) {
		expect(12, !sigaltstack(&mine, NULL));
		if (how == SUSPENDED)
			suspended();
		else
			send();
		expect(14, is_set(mine.ss_flags));
		if (how == PLAIN) {
			fault();
			if (!(flags & (int)SA_RESETHAND) && !mine.ss_flags)
				together();
		}
	}
	printf("%s: seen %d, deepest %d, wrong %x, at %td and %td\n", name, seen, deepest, wrong,
	       first_at, second_at);
}

/* Other functions of libc give the handler back. */
static void read_back(void)
{
	int right = 0;

	act();
	right += (void *)signal(SIGUSR1, SIG_DFL) == (void *)on_signal;
	act();
	right += (void *)ssignal(SIGUSR1, SIG_IGN) == (void *)on_signal;
	act();
	right += (void *)sysv_signal(SIGUSR1, SIG_IGN) == (void *)on_signal;
	act();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	right += (void *)sigset(SIGUSR1, SIG_IGN) == (void *)on_signal;
	act();
	siginterrupt(SIGUSR1, 1);
#pragma GCC diagnostic pop
	seen = wrong = 0;
	way = NESTED;
	raise(SIGUSR1);
	right += system("true");
	printf("read back: %d, seen %d, wrong %x\n", right, seen, wrong);
}

#ifdef __x86_64__
/* Set by number, with a return of its own. */
static void by_number(void)
{
	struct kernel_action wanted = { (void *)on_signal, SA_SIGINFO | SA_ONSTACK | 0x04000000,
					own_return, 0 },
			     now;

	memset(&action.sa_mask, 0, sizeof(action.sa_mask));
	way = PLAIN;
	seen = wrong = own_returns = 0;
	syscall(SYS_rt_sigaction, SIGUSR1, &wanted, NULL, 8);
	syscall(SYS_rt_sigaction, SIGUSR1, NULL, &now, 8);
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	printf("by number: %d, seen %d, wrong %x, own returns %d\n",
	       !memcmp(&now, &wanted, sizeof(now)), seen, wrong, own_returns);
}
#else
static void by_number(void)
{
}
#endif

static void on(char *memory, size_t bytes, int flags)
{
	mine = (stack_t){ .ss_sp = memory, .ss_size = bytes, .ss_flags = flags };
	printf("%zu bytes, flags %x\n", bytes, (unsigned)flags);
	signals("plain", 0, PLAIN);
	signals("restart", SA_RESTART, PLAIN);
	signals("once", (int)SA_RESETHAND, PLAIN);
	signals("again", SA_NODEFER, PLAIN);
	if (!flags)
		signals("nested", 0, NESTED);
	if (bytes > BIG)
		signals("big", 0, BIG_ONE);
	signals("suspended", 0, SUSPENDED);
	if (flags)
		return;
	signals("jump", 0, JUMPS);
	signals("set context", 0, SETS_CONTEXT);
	signals("swap context", 0, SWAPS);
	read_back();
	by_number();
}

static void *run(void *unused)
{
	const stack_t none = { .ss_flags = SS_DISABLE };

	action.sa_sigaction = on_signal; /* from before any signal stack */
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	act();
	on(room, MOST, 0);
	on(room + 16, 40960, 0);
	on(room + 1000, 24000, 0);
	on(room, 65536, (int)SS_AUTODISARM);
	sigaltstack(&none, NULL);
	return unused;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	run(NULL);
	run_threads(1, run, NULL);
	return 0;
}

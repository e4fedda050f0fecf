/*
 * Edge cases of signal(7)'s calls by number: bad addresses, sizes and operations, the values that
 * are read back, and the memory behind the kernel's structures.
 *   trap_raw SIGNAL
 */
#include "tests/preload/targets/target.h"

#define PAGE 4096

struct raw_action {
	uint64_t handler, flags, restorer, mask;
};

static int number;
static char *edge; /* the end of readable memory */
static char *constant;

static void say(const char *what, long result)
{
	printf("%s: %ld %s\n", what, result, result < 0 ? strerror(errno) : "");
	errno = 0;
}

static uint64_t mask_now(void)
{
	uint64_t mask = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, 8);
	return mask;
}

static void say_mask(const char *what, long result)
{
	say(what, result);
	printf("  mask %llx\n", (unsigned long long)mask_now());
}

static void masks(void)
{
	uint64_t ours = 1ULL << (number - 1), all = ~0ULL, old[2] = { 1, 0x1234 };
	uint64_t *last = (uint64_t *)edge - 1;

	*last = ours;
	say_mask("block at the edge", syscall(SYS_rt_sigprocmask, SIG_BLOCK, last, last, 8));
	printf("  old %llx\n", (unsigned long long)*last);
	say_mask("beyond it", syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, edge - 4, NULL, 8));
	say_mask("old beyond it", syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, edge - 4, 8));
	say_mask("old constant", syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &all, constant, 8));
	say_mask("size 16", syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, old, 16));
	say_mask("size 4", syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, old, 4));
	say_mask("way 7", syscall(SYS_rt_sigprocmask, 7, &ours, old, 8));
	say_mask("asked", syscall(SYS_rt_sigprocmask, 7, NULL, old, 8));
	printf("  old %llx, behind it %llx\n", (unsigned long long)old[0],
	       (unsigned long long)old[1]);
	say_mask("all", syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, old, 8));
	say_mask("none", syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &all, old, 8));
	printf("  old %llx, behind it %llx\n", (unsigned long long)old[0],
	       (unsigned long long)old[1]);
}

static void say_action(const char *what, long result, const struct raw_action *action)
{
	say(what, result);
	printf("  handler %llx flags %llx restorer %llx mask %llx\n",
	       (unsigned long long)action->handler, (unsigned long long)action->flags,
	       (unsigned long long)action->restorer, (unsigned long long)action->mask);
}

static void actions(void)
{
	struct raw_action wanted = { 0x1000, SA_RESTART | SA_SIGINFO | 0x04000000, 0x2000, ~0ULL };
	struct raw_action old[2], ignored = { .handler = 1 };
	struct sigaction by_libc;
	char *low = edge - sizeof(ignored);

	memset(old, 0x55, sizeof(old));
	say_action("action", syscall(SYS_rt_sigaction, number, &wanted, old, 8), old);
	say_action("again", syscall(SYS_rt_sigaction, number, NULL, old, 8), old);
	printf("  behind it %llx\n", (unsigned long long)old[1].handler);
	printf("libc's: %d", sigaction(number, NULL, &by_libc));
	printf(" %llx flags %x\n", (unsigned long long)(uintptr_t)by_libc.sa_handler,
	       (unsigned)by_libc.sa_flags);
	say("no address", syscall(SYS_rt_sigaction, number, 16L, NULL, 8));
	say("across the edge", syscall(SYS_rt_sigaction, number, edge - 20, NULL, 8));
	say_action("unchanged", syscall(SYS_rt_sigaction, number, NULL, old, 8), old);
	say("old across it", syscall(SYS_rt_sigaction, number, &ignored, edge - 20, 8));
	say_action("changed", syscall(SYS_rt_sigaction, number, NULL, low, 8), (void *)low);
	say("size 16", syscall(SYS_rt_sigaction, number, &wanted, NULL, 16));
	say_action("unchanged", syscall(SYS_rt_sigaction, number, NULL, old, 8), old);
	ignored.handler = 0;
	say("default", syscall(SYS_rt_sigaction, number, &ignored, NULL, 8));
}

static void waits(void)
{
	uint64_t ours = 1ULL << (number - 1), pending[2] = { 0, 0x1234 };
	struct timespec wrong = { 0, -1 }, none = { 0, 0 };
	siginfo_t info;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &ours, NULL, 8);
	say("nothing", syscall(SYS_rt_sigtimedwait, &ours, &info, &none, 8));
	say("bad time", syscall(SYS_rt_sigtimedwait, &ours, &info, &wrong, 8));
	say("time beyond", syscall(SYS_rt_sigtimedwait, &ours, &info, edge - 8, 8));
	say("set beyond", syscall(SYS_rt_sigtimedwait, edge, &info, &none, 8));
	raise(number);
	say("pending", syscall(SYS_rt_sigpending, pending, 8));
	printf("  %llx, behind it %llx\n", (unsigned long long)pending[0],
	       (unsigned long long)pending[1]);
	say("pending beyond", syscall(SYS_rt_sigpending, edge - 4, 8));
	memset(&info, 0, sizeof(info));
	say("took", syscall(SYS_rt_sigtimedwait, &ours, &info, &none, 8));
	printf("  code %d\n", info.si_code); /* SI_TKILL, where libc says SI_USER */
	raise(number);
	say("lost", syscall(SYS_rt_sigtimedwait, &ours, edge - 8, &none, 8));
	raise(number);
	say("without", syscall(SYS_rt_sigtimedwait, &ours, NULL, &none, 8));
	say("suspend beyond", syscall(SYS_rt_sigsuspend, edge, 8));
	say("ppoll beyond", syscall(SYS_ppoll, NULL, 0, &none, edge, 8));
	say("pselect beyond", syscall(SYS_pselect6, 0, NULL, NULL, NULL, &none, edge));
	say("signalfd beyond", syscall(SYS_signalfd4, -1, edge, 8, 0));
	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &ours, NULL, 8);
}

int main(int argc, char **argv)
{
	char *memory = map_memory(3 * PAGE, PROT_READ | PROT_WRITE);

	number = argc > 1 ? atoi(argv[1]) : SIGTRAP;
	if (memory == MAP_FAILED || mprotect(memory + PAGE, PAGE, PROT_NONE))
		return 1;
	edge = memory + PAGE;
	constant = memory + 2L * PAGE;
	mprotect(constant, PAGE, PROT_READ);
	masks();
	actions();
	waits();
	masks();
	printf("end\n");
	return 0;
}

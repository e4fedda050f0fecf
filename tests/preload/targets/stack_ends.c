/*
 * Unusual uses of a signal stack of the program's own.
 *   stack_ends coroutines        it becomes the stack of a coroutine, as GNU Pth makes them
 *   stack_ends overflow          its handler overflows it: the kernel ends the process
 *   stack_ends full              there is no room for a second handler: likewise
 *   stack_ends gone              it was unmapped when a signal came: likewise
 *   stack_ends fork              a child has it, sets another one and reads it back
 *   stack_ends together          all signals come at once, while others of the same kinds wait
 */
#include "tests/preload/targets/target.h"

#define BYTES	   (256 << 10)
#define COROUTINES 8
#define TURNS	   50

static char *low;
static volatile int inside, outside;
static volatile char mark;
static volatile int deepest = 1 << 30;

static void count(const void *address)
{
	if ((uintptr_t)address - (uintptr_t)low < BYTES)
		inside++;
	else
		outside++;
}

static void set_stack(char *memory)
{
	stack_t stack = { .ss_sp = memory, .ss_size = BYTES };

	low = memory;
	if (sigaltstack(&stack, NULL))
		exit(3);
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK | flags };

	sigaction(number, &action, NULL);
}

/* A handler returns, and its frame is jumped into later: the coroutine runs there. */
static sigjmp_buf enter[COROUTINES], resume[COROUTINES], home;
static volatile int creating, turns[COROUTINES];

static void on_create(int signal)
{
	volatile int me = creating;

	(void)signal;
	count(__builtin_frame_address(0));
	if (!sigsetjmp(enter[me], 0))
		return;
	for (;;) {
		WORK(20000);
		turns[me]++;
		if (!sigsetjmp(resume[me], 0))
			siglongjmp(home, 1);
	}
}

static void coroutines(void)
{
	const stack_t none = { .ss_flags = SS_DISABLE };

	handle(SIGUSR2, on_create, 0);
	for (creating = 0; creating < COROUTINES; creating++) {
		set_stack(malloc(BYTES));
		raise(SIGUSR2);
		sigaltstack(&none, NULL);
	}
	for (volatile int turn = 0; turn < TURNS; turn++)
		for (volatile int i = 0; i < COROUTINES; i++)
			if (!sigsetjmp(home, 0))
				siglongjmp(turn ? resume[i] : enter[i], 1);
	for (int i = 0; i < COROUTINES; i++)
		printf("%d ", turns[i]);
	printf("inside %d, outside %d\n", inside, outside);
}

__attribute__((noinline)) static void fill(int depth)
{
	volatile char bytes[1024];

	memset((char *)bytes, depth, sizeof(bytes));
	if (depth < deepest)
		fill(depth + 1);
	mark = bytes[depth % 1024];
}

static void on_overflow(int signal)
{
	(void)signal;
	fill(0);
}

static char *guarded(void)
{
	char *memory = map_memory(BYTES + 4096, PROT_NONE);

	mprotect(memory + 4096, BYTES, PROT_READ | PROT_WRITE);
	return memory + 4096;
}

static void overflow(void)
{
	set_stack(guarded());
	handle(SIGSEGV, on_overflow, 0);
	handle(SIGUSR1, on_overflow, 0);
	raise(SIGUSR1);
}

__attribute__((noinline)) static void fill_but_a_little(int depth)
{
	volatile char bytes[1024];

	memset((char *)bytes, depth, sizeof(bytes));
	if ((char *)__builtin_frame_address(0) - low > 2200)
		fill_but_a_little(depth + 1);
	else
		raise(SIGUSR2);
	mark = bytes[depth % 1024];
}

static void on_full(int signal)
{
	(void)signal;
	fill_but_a_little(0);
}

static void on_signal(int signal)
{
	(void)signal;
	count(__builtin_frame_address(0));
	WORK(20000);
}

static void full(void)
{
	set_stack(guarded());
	handle(SIGUSR1, on_full, 0);
	handle(SIGUSR2, on_signal, 0);
	raise(SIGUSR1);
	puts("there was room");
}

static void gone(void)
{
	set_stack(guarded());
	handle(SIGUSR1, on_signal, 0);
	handle(SIGSEGV, on_signal, 0);
	raise(SIGUSR1);
	printf("inside %d, outside %d\n", inside, outside);
	fflush(stdout);
	munmap(low, BYTES);
	work_burn(20000000);
	raise(SIGUSR1);
}

static void show(const char *who)
{
	stack_t now;

	sigaltstack(NULL, &now);
	printf("%s: own %d, %zu bytes, flags %d, inside %d, outside %d\n", who, now.ss_sp == low,
	       now.ss_size, now.ss_flags, inside, outside);
	fflush(stdout);
}

static void in_child(void)
{
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	show("child");
	set_stack(malloc(BYTES));
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	show("child with another");
	work_burn(20000000);
}

static void on_fork(int signal)
{
	int status;

	(void)signal;
	count(__builtin_frame_address(0));
	if (fork())
		wait(&status);
}

static void forked(void)
{
	pid_t parent = getpid();

	set_stack(malloc(BYTES));
	handle(SIGUSR1, on_signal, 0);
	handle(SIGUSR2, on_fork, 0);
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	raise(SIGUSR2);
	if (getpid() != parent) {
		in_child();
		exit(0);
	}
	show("parent");
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	show("parent");
}

static void together(void)
{
	sigset_t all, none;

	set_stack(malloc(BYTES));
	sigfillset(&all);
	sigemptyset(&none);
	for (int i = 0; i < 10; i++)
		handle(SIGRTMIN + i, on_signal, SA_NODEFER);
	handle(SIGUSR1, on_signal, 0);
	handle(SIGUSR2, on_signal, 0);
	for (int turn = 0; turn < TURNS; turn++) {
		sigprocmask(SIG_SETMASK, &all, NULL);
		for (int i = 0; i < 10; i++)
			raise(SIGRTMIN + i);
		raise(SIGUSR1);
		raise(SIGUSR2);
		sigprocmask(SIG_SETMASK, &none, NULL);
		WORK(20000);
	}
	show("all at once");
}

static const struct named ways[] = {
	{ "coroutines", coroutines }, { "overflow", overflow }, { "full", full }, { "gone", gone },
	{ "fork", forked },	      { "together", together },
};

int main(int argc, char **argv)
{
	if (argc > 1)
		run_named(ways, COUNT(ways), argv[1]);
	puts("ok");
	return 0;
}

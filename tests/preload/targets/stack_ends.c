/*
 * Unusual uses of a signal stack of the program's own.
 *   stack_ends coroutines        it becomes the stack of a coroutine, as GNU Pth makes them
 *   stack_ends overflow          its handler overflows it: the kernel ends the process
 *   stack_ends full              there is no room for a second handler: likewise
 *   stack_ends gone              it was unmapped when a signal came: likewise
 *   stack_ends fork              a child has it, sets another one and reads it back
 *   stack_ends together          all signals come at once, while others of the same kinds wait
 *   stack_ends questions         the results of sigaltstack(2), in main and in a thread
 *   stack_ends freed MILLISECONDS BYTES
 *     Memory of malloc's that is freed and stays registered, in main and in a thread, while the
 *     thread computes.  Prints how many bytes of it another than the program wrote to, and what
 *     sigaltstack(2) says.
 */
#include <malloc.h>

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

#define PAINT	   0xa5
#define MMAP_BYTES (128UL << 10) /* malloc maps what is as large; its free unmaps that */
#define LINKS	   64		 /* of the chunk's two ends, which are free's own */

static uint64_t burn_ns;
static size_t freed_bytes;

static size_t painted_over(const volatile unsigned char *memory)
{
	size_t changed = 0;

	for (size_t i = LINKS; i < freed_bytes - LINKS; i++)
		changed += memory[i] != PAINT;
	return changed;
}

static void *work_on_freed(void *unused)
{
	unsigned char *memory = malloc(freed_bytes);
	char *after = malloc(64);		     /* the heap does not shrink */
	volatile uintptr_t kept = (uintptr_t)memory; /* the compiler must not know of it */
	stack_t stack = { .ss_sp = memory, .ss_size = freed_bytes };

	memset(memory, PAINT, freed_bytes);
	sigaltstack(&stack, NULL);
	work_burn(burn_ns / 2);
	memset(memory, PAINT, freed_bytes);
	free(memory);
	work_burn(burn_ns);
	sigaltstack(NULL, &stack);
	printf("%zu bytes, flags %d, written %zu\n", stack.ss_size, stack.ss_flags,
	       freed_bytes < MMAP_BYTES ? painted_over((void *)kept) : 0);
	fflush(stdout);
	free(after);
	return unused;
}

static void freed(void)
{
	mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
	setvbuf(stdout, NULL, _IONBF, 0);
	work_on_freed(NULL);
	run_threads(1, work_on_freed, NULL);
}

static _Alignas(64) char memory[2][131072];

static void ask(const char *what, const stack_t *wanted, void *base)
{
	stack_t old;
	int result = sigaltstack(wanted, &old);

	if (result)
		printf("%s: %s\n", what, strerror(errno));
	else
		printf("%s: was %td, %zu, %x\n", what,
		       old.ss_flags & SS_DISABLE ? 0 : (char *)old.ss_sp - (char *)base,
		       old.ss_flags & SS_DISABLE ? 0 : old.ss_size, (unsigned)old.ss_flags);
}

static void *base_of_handler;

static void on_question(int signal)
{
	stack_t other = { .ss_sp = memory[1] + 100, .ss_size = 70000 };

	(void)signal;
	ask("inside a handler", NULL, base_of_handler);
	ask("change inside a handler", &other, base_of_handler);
}

static void *ask_all(void *argument)
{
	char *base = argument;
	static const size_t sizes[] = { 4096, 8192, 16384, 65536, 4096, 65536, 1024 };
	struct sigaction action = { .sa_handler = on_question, .sa_flags = SA_ONSTACK };
	stack_t none = { .ss_flags = SS_DISABLE };
	stack_t odd = { .ss_sp = base, .ss_size = 65536, .ss_flags = 0x70 };

	base_of_handler = base;
	sigaction(SIGUSR1, &action, NULL);
	ask("at first", NULL, base);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		stack_t stack = { .ss_sp = base + i, .ss_size = sizes[i] };

		ask("set", &stack, base);
		ask("and now", NULL, base);
		if (sizes[i] >= 16384)
			raise(SIGUSR1);
	}
	ask("odd flags", &odd, base);
	ask("none", &none, base);
	ask("after none", NULL, base);
	raise(SIGUSR1);
	return NULL;
}

static void questions(void)
{
	ask_all(memory[0]);
	run_threads(1, ask_all, memory[1]);
}

static const struct named ways[] = {
	{ "coroutines", coroutines },
	{ "overflow", overflow },
	{ "full", full },
	{ "gone", gone },
	{ "fork", forked },
	{ "together", together },
	{ "freed", freed },
	{ "questions", questions },
};

int main(int argc, char **argv)
{
	if (argc > 3) {
		burn_ns = strtoull(argv[2], NULL, 10) * 1000000;
		freed_bytes = strtoull(argv[3], NULL, 10);
	}
	if (argc > 1)
		run_named(ways, COUNT(ways), argv[1]);
	puts("ok");
	return 0;
}

/*
 * Work on stacks that are nearly too small, for MILLISECONDS on each.  A surviving program prints
 * "ok" and the number of bytes of the target's own stack that other code wrote to.
 *   harm_stacks MILLISECONDS WAY [BYTES]
 * The way "unused" prints the number of pages that a thread has in the lower half of its stack
 * while it works high up on it, three times.
 */
#include <limits.h>
#include <sys/auxv.h>

#include "tests/preload/targets/target.h"

#define PAINT	   0xa5
#define MORE_BYTES 16
#define MOST_BYTES 65536

static uint64_t burn_ns;
static size_t bytes;
static char *stack;
static size_t used_bytes;

static char *guarded(size_t size)
{
	size_t whole = (size + 4095) / 4096 * 4096;
	char *memory = map_memory(whole + 8192, PROT_NONE);

	if (memory == MAP_FAILED || mprotect(memory + 4096, whole, PROT_READ | PROT_WRITE))
		exit(3);
	memset(memory + 4096, PAINT, whole);
	return memory + 4096 + whole - size;
}

/* How much of a painted stack, from its top, was ever written to. */
static size_t painted_over(const char *low, size_t size)
{
	size_t clean = 0;

	while (clean < size && (unsigned char)low[clean] == PAINT)
		clean++;
	return size - clean;
}

static void *burn(void *argument)
{
	work_burn(burn_ns);
	return argument;
}

/* Down to some 1400 bytes from the guard page. */
__attribute__((noinline)) static void to_the_end(const char *low)
{
	volatile char here[64];

	here[0] = 0;
	if ((const char *)here - low > 1400)
		to_the_end(low);
	else
		work_burn(burn_ns);
	here[1] = here[0];
}

static void *recurse(void *argument)
{
	pthread_attr_t own;
	void *low;
	size_t size, guard;

	pthread_getattr_np(pthread_self(), &own);
	pthread_attr_getstack(&own, &low, &size);
	pthread_attr_getguardsize(&own, &guard);
	pthread_attr_destroy(&own);
	to_the_end((char *)low + guard);
	return argument;
}

static void in_thread(void *(*start)(void *), size_t size)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	if (pthread_attr_setstacksize(&small, size) || pthread_create(&thread, &small, start, NULL))
		exit(4);
	pthread_join(thread, NULL);
}

#define UNUSED_BYTES (256UL << 10) /* too small for a huge page */

static void *look_at_unused(void *argument)
{
	unsigned char resident[UNUSED_BYTES / 2 / 4096] = { 0 };
	pthread_attr_t own;
	unsigned pages = 0;
	size_t size;
	void *low;

	work_burn(burn_ns);
	pthread_getattr_np(pthread_self(), &own);
	pthread_attr_getstack(&own, &low, &size);
	pthread_attr_destroy(&own);
	if (mincore(low, sizeof(resident) * 4096, resident))
		exit(4);
	for (unsigned i = 0; i < sizeof(resident); i++)
		pages += resident[i] & 1;
	printf("%u\n", pages);
	return argument;
}

static void unused(void)
{
	for (int i = 0; i < 3; i++)
		in_thread(look_at_unused, UNUSED_BYTES);
}

static void least(void)
{
	for (int i = 0; i < 4; i++)
		in_thread(burn, (size_t)sysconf(_SC_THREAD_STACK_MIN));
}

static void deep(void)
{
	in_thread(recurse, (size_t)sysconf(_SC_THREAD_STACK_MIN));
}

/* Of so many bytes, or as many more as sigaltstack(2) insists on: its own least size may be above
 * AT_MINSIGSTKSZ, where the processor has little to save. */
static bool use_alternate(void)
{
	stack_t own;
	int err;

	do {
		stack = guarded(bytes);
		own = (stack_t){ .ss_sp = stack, .ss_size = bytes };
		err = sigaltstack(&own, NULL) ? errno : 0;
	} while (err == ENOMEM && (bytes += MORE_BYTES) < MOST_BYTES);
	if (err)
		puts("refused");
	return !err;
}

static void alternate(void)
{
	if (!use_alternate())
		return;
	work_burn(burn_ns);
	used_bytes = painted_over(stack, bytes);
}

/* Work inside its own handler of a fault, on its own alternate stack. */
static char *missing;
static sigjmp_buf out;

static void on_fault(int signal)
{
	(void)signal;
	for (int i = 0; i < 50; i++)
		WORK(100000);
	mprotect(missing, 4096, PROT_READ | PROT_WRITE);
}

static void fault(void)
{
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_ONSTACK };
	struct sigaction back;
	uint64_t end_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) + burn_ns;

	missing = guarded(4096);
	if (!use_alternate())
		return;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGSEGV, NULL, &back);
	if (sigismember(&back.sa_mask, SIGTRAP) || back.sa_handler != on_fault)
		puts("another action than was set");
	while (work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
		mprotect(missing, 4096, PROT_NONE);
		*(volatile char *)missing = 1;
	}
}

static void on_fault_leave(int signal)
{
	(void)signal;
	WORK(200000);
	siglongjmp(out, 1);
}

static void leave_fault(void)
{
	struct sigaction action = { .sa_handler = on_fault_leave, .sa_flags = SA_ONSTACK };
	uint64_t end_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) + burn_ns;

	missing = guarded(4096);
	mprotect(missing, 4096, PROT_NONE);
	if (!use_alternate())
		return;
	sigaction(SIGSEGV, &action, NULL);
	while (work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		if (!sigsetjmp(out, 1))
			*(volatile char *)missing = 1;
	work_burn(burn_ns);
}

/* Many small stacks by swapcontext, each between guard pages. */
#define COROUTINES 16

static ucontext_t coroutine[COROUTINES], home;

static void run_coroutine(int number)
{
	for (;;) {
		work_burn(300000);
		swapcontext(&coroutine[number], &home);
	}
}

static void coroutines(void)
{
	uint64_t end_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) + burn_ns;
	char *stacks[COROUTINES];

	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&coroutine[i]);
		stacks[i] = guarded(bytes);
		coroutine[i].uc_stack.ss_sp = stacks[i];
		coroutine[i].uc_stack.ss_size = bytes;
		makecontext(&coroutine[i], (void (*)(void))run_coroutine, 1, i);
	}
	while (work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		for (int i = 0; i < COROUTINES; i++)
			swapcontext(&home, &coroutine[i]);
	for (int i = 0; i < COROUTINES; i++)
		if (painted_over(stacks[i], bytes) > used_bytes)
			used_bytes = painted_over(stacks[i], bytes);
}

#if defined(__x86_64__)
static void pivot_to(char *const *places, size_t count)
{
	uint64_t end_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) + burn_ns;

	while (work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		for (size_t i = 0; i < count; i++)
			__asm__ volatile("movq %%rsp, %%r12\n\tmovq %0, %%rsp\n\t"
					 "movl $300000, %%ecx\n1:\tdecl %%ecx\n\tjnz 1b\n\t"
					 "movq %%r12, %%rsp"
					 :
					 : "r"(places[i])
					 : "r12", "rcx", "cc", "memory");
}
#endif

/* The stack pointer at the very edge of a mapping, or where no program has memory. */
static void pivot(void)
{
#if defined(__x86_64__)
	char *low = guarded(4096);
	char *places[] = { low + 4096, low + 4096 + 8, low + 8,
			   low - 4096, (char *)16,     (char *)0xffff800000000000 };

	pivot_to(places, COUNT(places));
#endif
}

/* The same with an address that is none.  Some machines end such a program at the next interrupt.
 */
static void nowhere(void)
{
#if defined(__x86_64__)
	char *place = (char *)0x8000000000000000;

	pivot_to(&place, 1);
#endif
}

static const struct named ways[] = {
	{ "least", least },
	{ "deep", deep },
	{ "alternate", alternate },
	{ "fault", fault },
	{ "leave_fault", leave_fault },
	{ "coroutines", coroutines },
	{ "pivot", pivot },
	{ "nowhere", nowhere },
	{ "unused", unused },
};

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	burn_ns = strtoull(argv[1], NULL, 10) * 1000000;
	bytes = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	if (!bytes)
		bytes = getauxval(AT_MINSIGSTKSZ) ? getauxval(AT_MINSIGSTKSZ) : 2048;
	run_named(ways, COUNT(ways), argv[2]);
	if (used_bytes)
		fprintf(stderr, "used %zu\n", used_bytes);
	puts("ok");
	return 0;
}

/*
 * Stacks that are not the thread's one stack: signal handlers on it and beside it, coroutines,
 * generated code with and without frame pointers, assembly without unwind information, stack
 * pointers that point nowhere, and threads with hardly any stack left.
 *   run_stacks CASE
 */
#include <limits.h>

#include "arch.h"
#include "tests/unwind/chain.h"
#include "tests/unwind/walks.h"

#define FRAMES	     200
#define COROUTINE    65536
#define ALTERNATE    65536
#define MAIN_DEPTH   10
#define DEPTH	     20
#define TRAPPING_MAX 64 /* bytes of the function that calls what traps */

WALKED_STACK;
static struct unwind_result result;
static uint64_t pcs[FRAMES];
static struct chain outer;
static struct chain inner;
static ucontext_t main_context;

static void walk_here(struct chain *chain)
{
	(void)chain;
	chain_walk(&stack, pcs, FRAMES, &result);
}

static int say(bool good)
{
	printf("depth %u end %d guessed %d misses %u\n", result.depth, (int)result.end,
	       result.guessed, result.misses);
	if (good)
		puts("run_stacks: end");
	return !good;
}

/* The inner chain, then the outer one below it, then the outermost frame. */
static bool both_are_there(void)
{
	unsigned at = chain_find(&inner, pcs, result.depth);

	return at && chain_find(&outer, pcs + at, result.depth - at) && result.end == UNWIND_LAST &&
	       !result.guessed;
}

/* The chains are taken apart again when they return, so checks are made while they stand. */
static bool stood;

/* In a handler whose stack is the target's alternate one: what our own handler's context says. */
static void walk_and_check(struct chain *chain)
{
	ucontext_t context;

	(void)chain;
	getcontext(&context);
	sigaltstack(NULL, &context.uc_stack);
	unwind_walk(&context, &stack, pcs, FRAMES, &result);
	stood = both_are_there();
}

static void on_signal(int number)
{
	(void)number;
	chain_run(&inner, DEPTH, 3);
}

static void raise_there(struct chain *chain)
{
	(void)chain;
	raise(SIGUSR1);
}

static int signals(int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
	stack_t alternate = { .ss_sp = malloc(ALTERNATE), .ss_size = ALTERNATE };

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	inner.leaf = walk_and_check;
	outer.leaf = raise_there;
	chain_run(&outer, MAIN_DEPTH, 5);
	return say(stood);
}

static void walk_inner(struct chain *chain)
{
	walk_here(chain);
	stood = chain_find(&inner, pcs, result.depth) && result.end == UNWIND_LAST &&
		!result.guessed;
}

static void coroutine(void)
{
	inner.leaf = walk_inner;
	chain_run(&inner, DEPTH, 11);
}

static int coroutines(void)
{
	ucontext_t context;
	char *memory =
		mmap(NULL, COROUTINE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	context_on(&context, memory, COROUTINE, coroutine, &main_context);
	swapcontext(&main_context, &context);
	return say(stood);
}

/* Far below anything that a walk has seen of the main thread's growing stack. */
static __attribute__((noinline)) int deep(void)
{
	volatile char *room = __builtin_alloca(3 << 20);

	room[0] = 1;
	inner.leaf = walk_inner;
	chain_run(&inner, DEPTH, 13);
	return say(stood && room[0] == 1);
}

/* Stack pointers that no code has: the leaf, and no crash. */
static int nowhere(void)
{
	char *forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t pointers[] = {
		0,
		8,
		4096,
		0x8000000000000000,
		UINT64_MAX,
		UINT64_MAX - 7,
		(uint64_t)forbidden,
		(uint64_t)forbidden + 4088,
		stack.low - 8,
		0xffff800000000000,
	};
	volatile bool good = true; /* getcontext may return twice, for all gcc knows */
	ucontext_t context;

	for (unsigned i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
		CONTEXT_HERE(&context);
		machine_registers(&context)[MACHINE_SP] = pointers[i];
		unwind_walk(&context, &stack, pcs, FRAMES, &result);
		printf("sp 0x%lx depth %u end %d\n", pointers[i], result.depth, (int)result.end);
		good = good && result.depth == 1 && result.end == UNWIND_BOUNDS &&
		       result.end_pc == pcs[0];
	}
	CONTEXT_HERE(&context);
	machine_registers(&context)[MACHINE_SP] += 4; /* misaligned */
	unwind_walk(&context, &stack, pcs, FRAMES, &result);
	return say(good && result.end != UNWIND_LAST);
}

static const uint8_t with_frame[] = { MACHINE_WITH_FRAME };
static const uint8_t without_frame[] = { MACHINE_WITHOUT_FRAME };

typedef void generated_fn(struct chain *chain, void (*function)(struct chain *chain));
static generated_fn *generated;

static void walk_generated(struct chain *chain)
{
	walk_here(chain);
	stood = chain_find(&outer, pcs, result.depth) > 0;
}

static void through_generated(struct chain *chain)
{
	generated(chain, walk_generated);
	__asm__ volatile("" ::: "memory");
}

static void generate(const uint8_t *bytes, size_t size, void (*leaf)(struct chain *chain))
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(memory, bytes, size);
	__builtin___clear_cache(memory, (char *)memory + size);
	generated = (generated_fn *)(uintptr_t)memory;
	outer.leaf = leaf;
	chain_run(&outer, MAIN_DEPTH, 9);
}

static int jit_framed(void)
{
	generate(with_frame, sizeof(with_frame), through_generated);
	return say(stood && result.end == UNWIND_LAST && result.guessed);
}

/* Nothing is known of the frame: the walk may stop at it or guess, but must say so. */
static int jit_frameless(void)
{
	generate(without_frame, sizeof(without_frame), through_generated);
	return say(result.depth >= 3 && pcs[2] / 4096 == (uint64_t)generated / 4096 &&
		   (result.guessed || result.end == UNWIND_NO_RULE));
}

/* Code of the program that has a frame pointer and no unwind information, which generated code
 * called, as node's builtins are. */
MACHINE_FRAMED;
void machine_framed(struct chain *chain);
void walk_framed(struct chain *chain);

void walk_framed(struct chain *chain)
{
	walk_generated(chain);
}

static void through_both(struct chain *chain)
{
	generated(chain, machine_framed);
	__asm__ volatile("" ::: "memory");
}

static bool has_generated(void)
{
	for (unsigned i = 0; i < result.depth; i++)
		if (pcs[i] / 4096 == (uint64_t)generated / 4096)
			return true;
	return false;
}

static int jit_below_framed(void)
{
	generate(with_frame, sizeof(with_frame), through_both);
	return say(stood && result.end == UNWIND_LAST && result.guessed && has_generated());
}

/* A leaf of assembly, called by its name and through a pointer: the whole chain, marked. */
MACHINE_UNDESCRIBED;
void machine_trap(void);

static void on_trap(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info;
	unwind_walk(context, &stack, pcs, FRAMES, &result);
	stood = stood && chain_find(&outer, pcs, result.depth) &&
		pcs[1] - (uint64_t)outer.leaf < TRAPPING_MAX && result.end == UNWIND_LAST &&
		result.guessed;
	machine_step_over_trap(context);
}

static void trap_directly(struct chain *chain)
{
	(void)chain;
	machine_trap();
	__asm__ volatile("" ::: "memory");
}

static void trap_through_pointer(struct chain *chain)
{
	void (*volatile trap)(void) = machine_trap;

	(void)chain;
	trap();
	__asm__ volatile("" ::: "memory");
}

static void catch_traps(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
	stood = true;
}

/* Generated code without a frame pointer, called through a pointer: the whole chain, marked. */
static const uint8_t trapping[] = { MACHINE_TRAPPING };

static void trap_generated(struct chain *chain)
{
	generated(chain, NULL);
	__asm__ volatile("" ::: "memory");
}

static int jit_leaf(void)
{
	catch_traps();
	generate(trapping, sizeof(trapping), trap_generated);
	return say(stood && result.depth > MAIN_DEPTH);
}

static int undescribed(void (*leaf)(struct chain *chain))
{
	catch_traps();
	outer.leaf = leaf;
	for (unsigned seed = 21; seed < 61; seed++)
		chain_run(&outer, MAIN_DEPTH, seed);
	return say(stood && result.depth > MAIN_DEPTH);
}

static uint64_t alternate_low, alternate_left; /* for the walk; 0: all that the kernel leaves */

/* Recursion down to the guard page, with a signal at the bottom, handled elsewhere. */
static void on_alternate(int number, siginfo_t *info, void *context)
{
	uint64_t room = (uint64_t)__builtin_frame_address(0) - alternate_low;

	(void)number, (void)info;
	if (alternate_left && room > alternate_left)
		*(volatile char *)__builtin_alloca(room - alternate_left) = 0;
	unwind_walk(context, &stack, pcs, FRAMES, &result);
}

static __attribute__((noinline)) unsigned sink_to(uint64_t low)
{
	volatile char room[48];

	room[0] = 1;
	if ((uint64_t)room - low < 512)
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR2);
	else
		room[1] = (char)sink_to(low);
	return (unsigned)room[0];
}

static void *shallow(void *argument)
{
	size_t alternate_bytes = *(size_t *)argument;
	stack_t alternate = { .ss_sp = malloc(alternate_bytes), .ss_size = alternate_bytes };

	if (unwind_stack_of_thread(&stack) || sigaltstack(&alternate, NULL))
		abort();
	alternate_low = (uint64_t)alternate.ss_sp;
	sink_to(stack.low);
	return NULL;
}

static int small(size_t alternate_bytes, bool misses_allowed)
{
	struct sigaction action = { .sa_sigaction = on_alternate,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	pthread_attr_t attributes;
	pthread_t thread;

	alternate_left = misses_allowed ? 0 : 1536;
	sigfillset(&action.sa_mask);
	sigaction(SIGUSR2, &action, NULL);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	if (pthread_create(&thread, &attributes, shallow, &alternate_bytes))
		return 99;
	pthread_join(thread, NULL);
	if (!misses_allowed)
		return say(result.depth >= 1 && !result.misses && result.end == UNWIND_BOUNDS);
	return say(result.depth > 50 && result.end == UNWIND_LAST);
}

int main(int count, char **arguments)
{
	static const char *const names[] = { "coroutine",  "deep",	    "nowhere",
					     "jit_framed", "jit_frameless", "jit_below_framed",
					     "jit_leaf" };
	static int (*const run[])(void) = { coroutines, deep,	       nowhere,
					    jit_framed, jit_frameless, jit_below_framed,
					    jit_leaf };
	const char *name = count > 1 ? arguments[1] : "";

	if (unwind_start() || unwind_stack_of_thread(&stack))
		return 99;
	if (!strcmp(name, "signal_normal"))
		return signals(0);
	if (!strcmp(name, "signal_alternate"))
		return signals(SA_ONSTACK);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return run[i]();
	if (!strcmp(name, "undescribed"))
		return undescribed(trap_directly);
	if (!strcmp(name, "undescribed_pointer"))
		return undescribed(trap_through_pointer);
	if (!strcmp(name, "small_stack"))
		return small(ALTERNATE, true);
	if (!strcmp(name, "small_alternate"))
		return small((size_t)sysconf(_SC_MINSIGSTKSZ) + 1536, false);
	return 2;
}

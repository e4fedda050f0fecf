/*
 * Fibers under the oracle: stacks that the program makes and switches between, by ucontext(3), and
 * by a few instructions of its own, with unwind information and without.
 */
#include "tests/unwind/oracle.h"
#include "tests/unwind/walks.h"

#define FIBERS	    3
#define STACK_BYTES (1UL << 20)

typedef void stepped_fn(void *argument);
stepped_fn oracle_context, oracle_switch, oracle_switch_bare, oracle_switch_deep;
void oracle_shapes_below(unsigned levels, void (*function)(void));

static char *stack_of[FIBERS];
static unsigned turn, rounds, levels;
static char text[64];

static void make_stacks(void (*first)(void))
{
	for (unsigned i = 0; i < FIBERS; i++) {
		if (!stack_of[i])
			stack_of[i] = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (stack_of[i] == MAP_FAILED)
			abort();
		oracle_stack(stack_of[i], STACK_BYTES, first);
	}
}

/* By ucontext(3). */
static ucontext_t own_context, context_of[FIBERS];

static void context_back(void)
{
	snprintf(text, sizeof(text), "fiber %u", turn);
	swapcontext(&context_of[turn], &own_context);
}

static void context_first(void)
{
	for (unsigned i = 0; i < rounds; i++)
		oracle_shapes_below(levels, context_back);
}

void oracle_context(void *argument)
{
	(void)argument;
	rounds = 3;
	levels = 30;
	make_stacks(context_first);
	for (unsigned i = 0; i < FIBERS; i++)
		context_on(&context_of[i], stack_of[i], STACK_BYTES, context_first, &own_context);
	for (unsigned i = 0; i < (rounds + 1) * FIBERS; i++) {
		turn = i % FIBERS;
		swapcontext(&own_context, &context_of[turn]);
	}
}

/* By instructions of its own: rdi is where the stack pointer is kept, rsi the one to go to. */
#define SWITCH                                                              \
	"push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15;" \
	"mov %rsp, (%rdi); mov %rsi, %rsp;"                                 \
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret;"
#define PUSH(name, at) "push %" name "; .cfi_adjust_cfa_offset 8; .cfi_offset %" name ", " at ";"
#define POP(name)      "pop %" name "; .cfi_adjust_cfa_offset -8; .cfi_restore %" name ";"

__asm__(".text; .type fiber_switch, @function; fiber_switch: .cfi_startproc;" PUSH("rbp", "-16")
		PUSH("rbx", "-24") PUSH("r12", "-32") PUSH("r13", "-40") PUSH("r14", "-48") PUSH(
			"r15", "-56") "mov %rsp, (%rdi); mov %rsi, %rsp;" POP("r15") POP("r14")
			POP("r13") POP("r12") POP("rbx") POP(
				"rbp") "ret; .cfi_endproc; .size fiber_switch, . - fiber_switch");
__asm__(".text; .type fiber_switch_bare, @function; fiber_switch_bare:" SWITCH
	".size fiber_switch_bare, . - fiber_switch_bare");

typedef void switch_to(uint64_t *from, uint64_t to);
switch_to fiber_switch, fiber_switch_bare;

static switch_to *to_stack;
static uint64_t own_sp, sp_of[FIBERS];

static void switch_back(void)
{
	snprintf(text, sizeof(text), "fiber %u", turn);
	to_stack(&sp_of[turn], own_sp);
	__asm__ volatile("");
}

/* Nothing called it, and it never returns. */
static void switch_first(void)
{
	for (;;)
		oracle_shapes_below(levels, switch_back);
}

static void run_switches(switch_to *by, unsigned times, unsigned deep)
{
	rounds = times;
	levels = deep;
	to_stack = by;
	make_stacks(switch_first);
	for (unsigned i = 0; i < FIBERS; i++) {
		uint64_t *top = (uint64_t *)(stack_of[i] + STACK_BYTES) - 2;

		top[0] = 0; /* where a return address would be */
		top[-1] = (uint64_t)switch_first;
		for (unsigned j = 2; j < 8; j++)
			top[-(int)j] = 0; /* registers */
		sp_of[i] = (uint64_t)(top - 7);
	}
	for (unsigned i = 0; i < rounds * FIBERS; i++) {
		turn = i % FIBERS;
		to_stack(&own_sp, sp_of[turn]);
	}
}

void oracle_switch(void *argument)
{
	(void)argument;
	run_switches(fiber_switch, 3, 30);
}

void oracle_switch_bare(void *argument)
{
	(void)argument;
	run_switches(fiber_switch_bare, 3, 30);
}

void oracle_switch_deep(void *argument)
{
	(void)argument;
	run_switches(fiber_switch, 1, 1000);
}

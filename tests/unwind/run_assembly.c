/*
 * Assembly without unwind information.
 *   run_assembly leftover ROUNDS
 * It has its argument in the frame pointer's register: it points into the stack, beside the return
 * address of an earlier call of the same function.  GMP's __gmpn_divrem_2 has its quotient there.
 * The walk with that word must be the walk without it.
 *   run_assembly loading
 * Generated code calls it, and it restores the frame pointer by a load.  Wherever it is
 * interrupted, the walk is whole.
 */
#include "arch.h"
#include "tests/unwind/chain.h"

#ifdef MACHINE_LOADING

#define FRAMES 64
#define AREA   4
#define DEPTH  10
#define ROUNDS 20

MACHINE_POINTER_IN_FRAME;
void machine_pointer_trap(uint64_t *area);

MACHINE_LOADING;
void machine_loading(struct chain *chain);
extern const char machine_loading_end[];

WALKED_STACK;
static struct unwind_result result;
static uint64_t pcs[FRAMES];
static unsigned walks;

static int catch_traps(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	return sigaction(SIGTRAP, &action, NULL);
}

static struct unwind_result first;
static uint64_t first_pcs[FRAMES];
static unsigned same;

static void on_pointer_trap(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info;
	unwind_walk(context, &stack, pcs, FRAMES, &result);
	if (!walks++) {
		first = result;
		memcpy(first_pcs, pcs, sizeof(pcs));
		((uint64_t *)machine_registers(context)[REG_RBP])[1] = pcs[1] + 1;
	} else if (result.depth == first.depth && result.end == first.end &&
		   !memcmp(pcs, first_pcs, first.depth * sizeof(*pcs))) {
		same++;
	}
}

static __attribute__((noinline)) void call_with_pointer(unsigned rounds)
{
	uint64_t area[AREA] = { 0 };

	for (unsigned i = 0; i < rounds; i++)
		machine_pointer_trap(area);
}

static bool leftover(unsigned rounds)
{
	if (catch_traps(on_pointer_trap))
		return false;
	call_with_pointer(rounds);
	printf("walks %u same %u depth %u end %d\n", walks, same, first.depth, (int)first.end);
	return rounds && walks == rounds && same == rounds - 1 && first.end == UNWIND_LAST &&
	       first_pcs[1] - (uint64_t)call_with_pointer <= 256;
}

typedef void generated_fn(struct chain *chain, void (*function)(struct chain *chain));

static const uint8_t with_frame[] = { MACHINE_WITH_FRAME };
static generated_fn *generated;
static struct chain outer;
static unsigned whole;

static void on_step(int number, siginfo_t *info, void *context)
{
	uint64_t *registers = machine_registers(context);
	uint64_t start = (uint64_t)machine_loading, bytes = (uint64_t)machine_loading_end - start;

	(void)number, (void)info;
	if (registers[MACHINE_PC] - start >= bytes)
		return;
	if (registers[MACHINE_PC] - start == bytes - 1)
		registers[REG_EFL] &= ~(uint64_t)MACHINE_STEP_FLAG;
	unwind_walk(context, &stack, pcs, FRAMES, &result);
	walks++;
	whole += pcs[1] - (uint64_t)generated < sizeof(with_frame) &&
		 chain_find(&outer, pcs, result.depth) && result.end == UNWIND_LAST &&
		 result.guessed;
}

static void call_generated(struct chain *chain)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		MACHINE_STEP;
		generated(chain, machine_loading);
	}
	__asm__ volatile("" ::: "memory");
}

static bool loading(void)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || catch_traps(on_step))
		return false;
	memcpy(memory, with_frame, sizeof(with_frame));
	generated = (generated_fn *)(uintptr_t)memory;
	outer.leaf = call_generated;
	chain_run(&outer, DEPTH, 9);
	printf("walks %u whole %u\n", walks, whole);
	return walks == ROUNDS * MACHINE_LOADING_STEPS && whole == walks;
}

int main(int count, char **arguments)
{
	unsigned rounds = count > 2 ? (unsigned)strtoul(arguments[2], NULL, 0) : 0;

	if (count < 2 || unwind_start() || unwind_stack_of_thread(&stack))
		return 99;
	if (strcmp(arguments[1], "loading") != 0 ? !leftover(rounds) : !loading())
		return 1;
	puts("run_assembly: end");
	return 0;
}

#else

int main(void)
{
	puts("this machine's walk neither follows code to its end nor looks at such words");
	return 77;
}

#endif
